/* main.c -- main() of dtsim: picks the command, prints the one line of an error. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "answer/open.h"
#include "base/os/ending.h"
#include "base/os/standard.h"
#include "base/version.h"
#include "cli/become_live.h"
#include "cli/commands.h"

static bool print_version(void)
{
    printf("dtsim %s\n", dts_version());
    return true;
}

/* Pictures and pages are of predictions, and --plot is of pictures. */
static bool check_drawing(const struct dts_options *options, const struct dts_command *command,
                          struct dts_error *err)
{
    const bool draws = options->format->draw != NULL;
    if (command != NULL && !command->draws && (draws || options->plot != NULL))
        return dts_fail(
            err, DTS_BAD_INPUT, "%s%s: has no effect on `dtsim %s`, which draws nothing",
            draws ? "--format " : "--plot", draws ? options->format->name : "", command->name);
    return draws || options->plot == NULL ||
           dts_fail(
               err, DTS_BAD_INPUT,
               "--plot: must have a picture: --output FILE.svg, .png, .pdf, .gp or .html, or "
               "--format svg");
}

/* What is explained are predictions; what lists and helps say hangs on no scenario. */
static bool check_idle(const struct dts_options *options, const struct dts_command *command,
                       struct dts_error *err)
{
    struct dts_options asked = *options;
    asked.format_given = false;
    const char *idle = NULL;
    if (command == &dts_list_command || command == &dts_help_command)
        idle = dts_options_of_a_scenario(&asked);
    else if (command != NULL && command != &dts_predict_command && options->explain)
        idle = "--explain";
    return idle == NULL ||
           dts_fail(err, DTS_BAD_INPUT, "%s: has no effect on `dtsim %s`", idle, command->name);
}

/* The command that the first word names, else to predict what the words are. */
static bool run(const struct dts_options *options, struct dts_error *err)
{
    if (options->version)
        return print_version();
    const char *word = options->word_count > 0 ? options->words[0] : "help";
    const struct dts_command *command = dts_command_find(word);
    if (options->help) {
        dts_help_about(command != NULL ? command : &dts_help_command, stdout);
        return true;
    }
    if (!check_drawing(options, command, err) || !check_idle(options, command, err))
        return false;
    if (options->changes.live)
        return dts_become_live(options->line, err);
    if (command != NULL)
        return command->run(options, err);
    const char *verbs[DTS_COMMANDS_MOST + 1] = {0};
    for (int i = 0; dts_commands[i] != NULL; i++)
        verbs[i] = dts_commands[i]->name;
    return dts_word_is_scenario(word, verbs, err) && dts_predict_command.run(options, err);
}

/* Of a line that dtsim-live would have run, under mpirun every rank has the mistakes: the
 * program that knows which rank it is says them. */
static bool is_live(int argc, char **argv)
{
    bool live = argc > 1 && strcmp(argv[1], dts_calibrate_command.name) == 0;
    for (int i = 1; i < argc; i++)
        live = live || strcmp(argv[i], "--live") == 0;
    return live;
}

int main(int argc, char **argv)
{
    struct dts_error err = {0};
    struct dts_options options;
    dts_standard_open();
    dts_ending_watch();
    signal(SIGXFSZ, SIG_IGN); // where files may not grow, writing says so
    if (dts_options_parse(&options, argc, argv, &err)) {
        run(&options, &err);
        dts_options_free(&options);
    } else if (is_live(argc, argv)) {
        struct dts_error why = {0};
        dts_become_live(argv, &why); // does not come back where there is one
    }
    if ((fflush(stdout) != 0 || ferror(stdout)) && err.cause == DTS_NO_ERROR)
        dts_fail(&err, DTS_SYSTEM, "standard output: %s", strerror(errno));
    if (err.cause != DTS_NO_ERROR && !err.told)
        fprintf(stderr, "dtsim: %s\n", err.text);
    return (int)err.cause;
}
