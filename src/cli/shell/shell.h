/* shell.h -- what `man` and the shells know of the program: made from the tables of commands
 * and options, so that a new row shows up there by itself.
 */
#ifndef DTS_CLI_SHELL_SHELL_H
#define DTS_CLI_SHELL_SHELL_H

#include <stdio.h>

void dts_manual_page(FILE *out); // roff with the macros of man(7)

/* Scripts that the shell reads: options, commands, and names of what `dtsim list` lists. */
void dts_complete_bash(FILE *out);
void dts_complete_zsh(FILE *out);
void dts_complete_fish(FILE *out);

#endif
