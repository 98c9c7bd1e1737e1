#ifndef CFUSE_SHIM_H
#define CFUSE_SHIM_H
#define FUSE_USE_VERSION 314
#define _FILE_OFFSET_BITS 64
#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#endif
