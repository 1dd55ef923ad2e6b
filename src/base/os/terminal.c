/* terminal.c -- asks the terminal for its size. */
#include "base/os/terminal.h"

#include <sys/ioctl.h>

int dts_terminal_columns(int descriptor)
{
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 0;
}
