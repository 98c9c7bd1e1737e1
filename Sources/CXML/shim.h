#ifndef CXML_SHIM_H
#define CXML_SHIM_H
#include <libxml/xmlversion.h>
/* Keeps ICU's headers out, which Foundation brings in another version. Nothing here uses the types that depend on it. */
#undef LIBXML_ICU_ENABLED
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlreader.h>
/* xmlFree is a variable that holds a function. */
static inline void cxml_free(void *memory) { xmlFree(memory); }
#endif
