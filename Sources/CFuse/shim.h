#ifndef CFUSE_SHIM_H
#define CFUSE_SHIM_H
#define FUSE_USE_VERSION 314
#include <errno.h>
#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The two ends of fuse_session_custom_io over a socket. In C because libfuse cancels its workers inside read(2). */
static inline ssize_t cfuse_socket_read(int fd, void *buffer, size_t size, void *userdata)
{
    (void)userdata;
    ssize_t count = read(fd, buffer, size);
    if (count == 0) {
        /* libfuse takes this as "unmounted" and ends its loop in good order. */
        errno = ENODEV;
        return -1;
    }
    return count;
}

static inline ssize_t cfuse_socket_writev(int fd, struct iovec *vector, int count, void *userdata)
{
    (void)userdata;
    struct msghdr message;
    memset(&message, 0, sizeof(message));
    message.msg_iov = vector;
    message.msg_iovlen = (size_t)count;
    return sendmsg(fd, &message, MSG_NOSIGNAL);
}
#endif
