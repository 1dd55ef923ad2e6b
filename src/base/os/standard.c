/* standard.c -- opens closed standard streams, and ends the program. */
#include "base/os/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* The lowest free number is what open() gives. Each the wrong way round. */
void dts_standard_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(1); // there is no place left to say why
}

void dts_standard_end(int status)
{
    fflush(stdout);
    _exit(status);
}
