/* What the verbs share: the table of verbs, options, errors, signals, progress, and the end of standard
 * output.
 *
 * A verb is `int bough_verb_NAME(int argc, char **argv)`: argv[0] is the verb's name, the result is the exit
 * status. It goes like this:
 *
 *     static const cli_option options[] = {
 *         {"routing", 0, "R", "a routing; repeat it to compare", CLI_REPEAT},
 *         {"output", 'o', "FILE", "write the network to FILE", 0},
 *         {"json", 0, NULL, "one JSON object", 0},
 *         CLI_OPTIONS_END,
 *     };
 *     static const cli_usage usage = {"net", "NETWORK [-o FILE]", "describe a network", options, "more
 * lines\n"}; cli_args args; int code = cli_parse(&usage, argc, argv, &args); if (code != CLI_GO) return code;
 * (help was printed, or the error)
 *     ... if (status) code = cli_fail(&error); ...
 *     cli_args_fini(&args);
 *     return code;
 */
#ifndef BOUGH_CLI_CLI_H
#define BOUGH_CLI_CLI_H

#include "bough/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int bough_verb_list(int argc, char **argv);
int bough_verb_net(int argc, char **argv);
int bough_verb_sim(int argc, char **argv);
int bough_verb_run(int argc, char **argv);
int bough_verb_report(int argc, char **argv);
int bough_verb_check(int argc, char **argv);
int bough_verb_plan(int argc, char **argv);

/* ---- options: --name value, --name=value, -n value; they may stand anywhere; after `--` none follows ----
 */

#define CLI_REPEAT     1u /* may be given more than once */
#define CLI_OPTION_MAX 24
#define CLI_OPTIONS_END                                                                                      \
    { 0 }

typedef struct cli_option {
    const char *name;     /* without the dashes */
    char letter;          /* -o; 0: none */
    const char *argument; /* "N"; NULL: a flag */
    const char *help;     /* one line; further lines after \n */
    unsigned flags;
} cli_option;

typedef struct cli_usage {
    const char *verb, *synopsis, *summary;
    const cli_option *options;
    const char *notes; /* printed below the options; may be NULL */
} cli_usage;

typedef struct cli_args {
    const cli_usage *usage;
    const char **positional;
    size_t positionals;
    const char **value; /* of all options given, in order: option[i] has value[i] ("" for a flag) */
    const cli_option **option;
    size_t values;
} cli_args;

#define CLI_GO (-1)
/* CLI_GO when the verb goes on; else the exit status: --help was printed (0), or an error was (2). */
int cli_parse(const cli_usage *usage, int argc, char **argv, cli_args *args);
void cli_args_fini(cli_args *args);

bool cli_has(const cli_args *args, const char *name);
/* The value of an option, or NULL when it was not given; with CLI_REPEAT the i-th, NULL beyond the last. */
const char *cli_value(const cli_args *args, const char *name);
const char *cli_value_at(const cli_args *args, const char *name, size_t i);
/* A whole number: *value stays as it is when the option was not given. Errors: INVALID, outside low..high. */
bough_status cli_integer(const cli_args *args, const char *name, uint64_t low, uint64_t high, uint64_t *value,
                         bough_error *error);

/* ---- saying what went wrong, on standard error ---- */

/* Prints "bough: PLACE: REASON" and returns the exit status. */
int cli_fail(const bough_error *error);
/* The same for a wrong command line: the reason, then where help is; returns 2. */
int cli_wrong(const char *verb, const char *format, ...) BOUGH_PRINTF(2, 3);
/* "bough: ..." without being an error. */
void cli_note(const char *format, ...) BOUGH_PRINTF(1, 2);

/* ---- signals, progress, output ---- */

/* From now on SIGINT and SIGTERM set the flag that is returned; a second one ends the process at once. */
atomic_bool *cli_catch_signals(void);

/* A line on standard error, when that is a terminal and the work takes more than 2 s. Zero-initialise. */
typedef struct cli_progress {
    double start, shown; /* seconds */
    bool terminal, visible;
} cli_progress;
void cli_progress_start(cli_progress *progress);
/* share: of the work, 0..1; what: the current step. Costs little, may be called often. */
void cli_progress_show(cli_progress *progress, double share, const char *what);
void cli_progress_end(cli_progress *progress); /* wipes the line */

/* The same as a callback: progress is a cli_progress. */
void cli_on_progress(void *progress, double share, const char *what);
/* "1 min 20 s", "3.1 h"; returns buffer (32 characters are enough). */
char *cli_format_seconds(double seconds, char *buffer, size_t size);

/* Writes a text to standard output and frees it. A verb builds all that it prints before it prints any of it,
 * so that nothing half written stays when memory runs out. What nobody sees of names, titles and paths is
 * written as '?' (base/text/escape.h). Errors: NO_MEMORY, when the text is not whole. */
struct bough_text;
bough_status cli_print_text(struct bough_text *text, bough_error *error);
/* For programs (CSV): only a terminal gets it as cli_print_text writes it. */
bough_status cli_print_data(struct bough_text *text, bough_error *error);
/* A text with escape sequences of the command's own, whose other parts went through base/text/escape.h. */
bough_status cli_print_coloured(struct bough_text *text, bough_error *error);

/* Adds a word as a shell reads it back. */
void cli_put_word(struct bough_text *out, const char *word);

/* --trials and --precision, which go together: what is given replaces all of *effort. *given: any of them
 * was. */
struct bough_effort;
bough_status cli_effort(const cli_args *args, struct bough_effort *effort, bool *given, bough_error *error);

/* What resolving a study found out, on standard error. */
struct bough_study;
void cli_study_notes(const struct bough_study *study);

/* main calls it last: flushes and closes standard output. A full disk is an error, a closed pipe a quiet one:
 * 1 for both where code was 0. */
int cli_close_output(int code);

#endif
