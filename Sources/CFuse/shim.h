#ifndef CFUSE_SHIM_H
#define CFUSE_SHIM_H
#define FUSE_USE_VERSION 314
#include <errno.h>
#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * How libfuse reads requests. In C because libfuse ends its workers by cancelling them in here. The same as read(2),
 * which the thread sanitizer replaces by a function that cannot be cancelled.
 */
static inline ssize_t cfuse_read(int fd, void *buffer, size_t size, void *userdata)
{
    (void)userdata;
    int type;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    ssize_t count = syscall(SYS_read, fd, buffer, size);
    pthread_setcanceltype(type, &type);
    if (count == 0) {
        /* A socket's peer is gone: libfuse takes this as "unmounted" and ends its loop in good order. */
        errno = ENODEV;
        return -1;
    }
    return count;
}
#endif
