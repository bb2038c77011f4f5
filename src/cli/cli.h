/* clang-format off */
/* Shared parts of the commands: options, errors, signals, progress, and the end of standard
 * output.
 *
 * A command is `int NAME_command(int argc, char **argv)`. argv[0] is its name, the result is the exit
 * status. The usual structure:
 *
 *     static const question_key options[] = {
 *         {"routing", 0, "R", "a routing; repeat it to compare", KEY_REPEAT},
 *         {"output", 'o', "FILE", "write the network to FILE", 0},
 *         {"json", 0, NULL, "one JSON object", 0},
 *         KEYS_END,
 *     };
 *     static const cli_usage usage = {"net", "NETWORK [-o FILE]", "describe a network", options,
 *                                     "more lines\n"};
 *     cli_args args;
 *     int code = cli_parse(&usage, argc, argv, &args);
 *     if (code != CLI_GO) return code; (help or the error was printed)
 *     ... if (status) code = cli_fail(&error); ...
 *     cli_args_fini(&args);
 *     return code; */
/* clang-format on */
#ifndef BOUGH_CLI_CLI_H
#define BOUGH_CLI_CLI_H

#include "base/text/keys.h"
#include "bough/status.h"
#include "network/registry.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bough_text;

int list_command(int argc, char **argv);
int net_command(int argc, char **argv);
int sim_command(int argc, char **argv);
int run_command(int argc, char **argv);
int report_command(int argc, char **argv);
int merge_command(int argc, char **argv);
int check_command(int argc, char **argv);
int plan_command(int argc, char **argv);
int tune_command(int argc, char **argv);
/* For shells: what may stand in place of the last word. */
int completion_command(int argc, char **argv);

/* ---- options: --name value, --name=value, -n value, at any position; `--` ends them ---- */

#define CLI_OPTIONAL   KEY_OWN /* operands: may be missing */
#define CLI_OPTION_MAX 64

/* Options are keys of the question (fabric/check/check_keys.h), and others of the command itself, which are
 * KEY_NOWHERE. */
typedef struct cli_operand {
    const char *name;   /* "NETWORK"; NULL ends the list */
    const char *values; /* as of a key */
    unsigned flags;
} cli_operand;
#define CLI_OPERANDS_MAX 4 /* with the end of the list */

/* A heading of the help, and the names of its options, joined by blanks. */
typedef struct cli_help_group {
    const char *title, *names; /* NULL: the end of the list */
} cli_help_group;

typedef struct cli_usage {
    const char *command, *synopsis, *summary;
    /* Beside the keys: the first ones before them, others behind the key that they are `after`; NULL: none.
     */
    const question_key *options;
    const char *notes; /* printed below the options; may be NULL */
    cli_operand operands[CLI_OPERANDS_MAX];
    const question_key *keys; /* of the question; NULL: none */
    /* The order of the help: those that matter most first. Options of no group stand last. NULL: one list. */
    const cli_help_group *groups;
} cli_usage;
extern const cli_usage list_usage, net_usage, sim_usage, run_usage, report_usage, merge_usage, check_usage,
    plan_usage, tune_usage;

typedef struct cli_command {
    const cli_usage *usage;
    const char *synopsis, *summary; /* shorter than those of usage, for `bough --help` */
    const char *purpose;            /* the heading that `bough --help` has above it */
    int (*run)(int argc, char **argv);
} cli_command;
extern const cli_command cli_commands[];               /* ends with a NULL usage */
const cli_command *cli_find_command(const char *name); /* or NULL */

/* Loads plug-ins, separated by colons as in PATH. list: may be NULL. Stops at the first that fails. */
bough_status cli_load_listed(bough_registry *registry, const char *list, bough_error *error);
/* The i-th option of a command; last those that every command has, --plugin and --help. NULL beyond. */
const question_key *cli_option_at(const cli_usage *usage, size_t i);

typedef struct cli_args {
    const cli_usage *usage;
    const char **positional;
    size_t positionals;
    key_settings given;       /* all options, in order */
    bough_registry *registry; /* names of plug-ins; NULL: none */
} cli_args;

#define CLI_GO (-1)
/* Parses the command line. CLI_GO if the command continues; else the exit status: --help was printed (0), or
 * an error was (2). */
int cli_parse(const cli_usage *usage, int argc, char **argv, cli_args *args);
void cli_args_fini(cli_args *args);

bool cli_has(const cli_args *args, const char *name);
/* Appends the options that were given and are in a table, as they are typed: " --routing updn". */
void cli_put_options(struct bough_text *out, const cli_args *args, const question_key *table);
/* The value of an option, or NULL if it was not given; with KEY_REPEAT the i-th, NULL beyond the last. */
const char *cli_value(const cli_args *args, const char *name);
const char *cli_value_at(const cli_args *args, const char *name, size_t i);
typedef bough_bounds cli_range;
#define CLI_THREADS_MAX 4096
#define CLI_THREADS     ((cli_range){1, CLI_THREADS_MAX})
/* Reads an integer; *value is unchanged if the option was not given. Errors: INVALID, outside the range. */
bough_status cli_integer(const cli_args *args, const char *name, cli_range range, uint64_t *value,
                         bough_error *error);

/* ---- errors, on standard error ---- */

/* Prints "bough: PLACE: REASON" and returns the exit status. */
int cli_fail(const bough_error *error);
/* For command line errors: prints the reason and a pointer to the help; returns 2. */
int cli_wrong(const char *command, const char *format, ...) BOUGH_PRINTF(2, 3);
/* From now on an error is one line on standard output, after these words, and the exit status is code:
 * monitoring systems read both. words: static. */
void cli_answer_errors(const char *words, int code);
/* Prints "bough: ..." for a message that is not an error. */
void cli_note(const char *format, ...) BOUGH_PRINTF(1, 2);

/* ---- signals, progress, output ---- */

/* From now on SIGINT, SIGTERM and SIGHUP set the returned flag; a second signal ends the process at once. */
atomic_bool *cli_catch_signals(void);

/* Progress on standard error, when progress_times.h says: of every command from cli_parse to the first line
 * of its output. */
void cli_progress_begin(void);
void cli_progress_end(void);
/* A step begins, of which nothing is known yet but what it is. */
void cli_progress_step(const char *what);
/* A callback: the finished share of the step, 0..1, and what is done; a negative share begins a step. Cheap,
 * may be called often. */
void cli_on_progress(void *unused, double share, const char *what);
/* Before and after other lines on standard error. */
void cli_progress_hide(void);
void cli_progress_unhide(void);

/* Writes a text to standard output and frees it. A command builds its whole output before printing, so that
 * running out of memory leaves no partial output. Invisible characters of names, titles and paths are written
 * as '?' (base/text/escape.h). Errors: NO_MEMORY, if the text is incomplete. */
bough_status cli_print_text(struct bough_text *text, bough_error *error);
/* Output for programs (CSV): filtered like cli_print_text only on a terminal. */
bough_status cli_print_data(struct bough_text *text, bough_error *error);
/* A text with escape sequences of the command itself; its other parts were filtered by base/text/escape.h. */
bough_status cli_print_coloured(struct bough_text *text, bough_error *error);

/* Characters of a line of standard output: the width of the terminal; elsewhere COLUMNS of the environment,
 * else 100. */
size_t cli_line_width(void);
/* The output of this process goes through a launcher, which may show it in a terminal or not. */
void cli_expect_launcher(void);
bool cli_is_terminal(int file);
/* The path of a program in one of the directories, as in PATH. Those without an absolute name do not count:
 * the programs run in other directories, which may hold anything. */
bool cli_find_program(const char *directories, const char *name, char *path, size_t size);
#define CLI_COLOUR_OPTION                                                                                    \
    {                                                                                                        \
        "color", 0, "WHEN", "when to use colours: auto (default: in a terminal), always or never", 0,        \
            "auto|always|never"                                                                              \
    }
/* --color. Returns 0, or the exit status. */
int cli_colours(const cli_args *args, bool *colours);

/* Prints the notes from resolving a study to standard error. */
struct bough_study;
void cli_study_notes(const struct bough_study *study);

/* Writes what was printed so far. */
void cli_flush(void);
/* From now on nothing is printed. */
void cli_silence(void);
bool cli_is_silent(void);
/* From now on errors are printed again. */
void cli_speak(void);
/* Called last by main: flushes and closes standard output. A full disk is reported, a closed pipe is silent;
 * both return 1 if code was 0. */
int cli_close_output(int code);

#endif
