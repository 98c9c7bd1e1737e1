#ifndef CFUSE_SHIM_H
#define CFUSE_SHIM_H
#define FUSE_USE_VERSION 314
#include <errno.h>
#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#include <unistd.h>

/* How libfuse reads requests. In C because libfuse cancels its workers inside read(2). */
static inline ssize_t cfuse_read(int fd, void *buffer, size_t size, void *userdata)
{
    (void)userdata;
    ssize_t count = read(fd, buffer, size);
    if (count == 0) {
        /* A socket's peer is gone: libfuse takes this as "unmounted" and ends its loop in good order. */
        errno = ENODEV;
        return -1;
    }
    return count;
}
#endif
