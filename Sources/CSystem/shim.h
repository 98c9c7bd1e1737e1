#ifndef CSYSTEM_SHIM_H
#define CSYSTEM_SHIM_H
/* What the Glibc module of the toolchain leaves out. */
#include <linux/falloc.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/* fallocate(2), for machines whose registers hold an offset. */
static inline long csystem_fallocate(int descriptor, int mode, long long offset, long long length) {
    return syscall(SYS_fallocate, descriptor, mode, offset, length);
}
#endif
