#ifndef CSYSTEM_SHIM_H
#define CSYSTEM_SHIM_H
/* What the Glibc module of the toolchain leaves out. */
#include <malloc.h>
#include <sys/xattr.h>
#endif
