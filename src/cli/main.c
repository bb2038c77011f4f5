/* bough: finds the command and calls it. */
#include "base/text/spec.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "cli/ranks/launch.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define FABRICS "A real fabric, or one to buy"
#define STUDIES "Simulations and models"
#define NAMES   "Networks, and what bough knows"

const cli_command cli_commands[] = {
    {&check_usage, "FABRIC", "check a fabric and its forwarding tables", FABRICS, check_command},
    {&tune_usage, "FABRIC -o FILE.lfts", "compute better forwarding tables", FABRICS, tune_command},
    {&plan_usage, "--hosts H --radix R", "list fat-trees for given hosts and switches", FABRICS,
     plan_command},
    {&sim_usage, "NETWORK [TRAFFIC] METHOD...", "one network, one traffic, some methods", STUDIES,
     sim_command},
    {&run_usage, "STUDY", "a grid of such points; resumable", STUDIES, run_command},
    {&report_usage, "RESULTS", "print the results of a study", STUDIES, report_command},
    {&merge_usage, "-o DIR STORE...", "join the stores of `bough run --shard`", STUDIES, merge_command},
    {&net_usage, "NETWORK", "describe, export or draw a network", NAMES, net_command},
    {&list_usage, "[KIND] [NAME]", "list networks, routings, traffic, methods", NAMES, list_command},
    {NULL, NULL, NULL, NULL, NULL},
};
enum { COMMANDS = sizeof cli_commands / sizeof *cli_commands - 1 };

const cli_command *cli_find_command(const char *name) {
    for (const cli_command *c = cli_commands; c->usage; c++)
        if (strcmp(c->usage->command, name) == 0) return c;
    return NULL;
}

static int print_help(void) {
    printf("usage: bough COMMAND ...\n\n"
           "Predicts how the network of a cluster or a chip behaves: fat-trees, tori,\n"
           "meshes, hypercubes, dragonflies, and recorded fabrics.\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        const cli_command *c = &cli_commands[i];
        char left[64];
        snprintf(left, sizeof left, "%s %s", c->usage->command, c->synopsis);
        if (!i || strcmp(c->purpose, c[-1].purpose) != 0) printf("\n%s:\n", c->purpose);
        printf("  %-32s %s\n", left, c->summary);
    }
    printf("\n"
           "  bough check fabric.ibnetdiscover --lft opensm-lfts.dump\n"
           "  bough sim fattree:n=64 allreduce:size=64MB flow\n"
           "  bough run strumpen2005/fig4 --dry-run\n\n"
           "bough COMMAND --help describes a command, bough list NAME a name;\n"
           "bough --version prints the version.\n");
    return 0;
}

static int unknown_command(const char *name) {
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) names[i] = cli_commands[i].usage->command;
    bough_text reason = {0};
    char hint[BOUGH_HINT_MAX];
    bough_text_printf(&reason, "no command '%s'%s; there are: ", name,
                      bough_hint(hint, name, names, COMMANDS));
    bough_text_put_list(&reason, names, COMMANDS);
    bough_error error;
    bough_fail_text(&error, BOUGH_INVALID, NULL, &reason);
    return cli_fail(&error);
}

static int dispatch(int argc, char **argv);

/* bough --plugin FILE... COMMAND ... is bough COMMAND --plugin FILE... ... */
static int plugins_first(int argc, char **argv) {
    int at = 1;
    while (at < argc && strncmp(argv[at], "--plugin", 8) == 0) at += strchr(argv[at], '=') ? 1 : 2;
    if (at >= argc) return cli_wrong(NULL, "a command is missing");
    char *command = argv[at];
    memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
    argv[1] = command;
    return dispatch(argc, argv);
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        cli_wrong(NULL, "a command is missing");
        return 2;
    }
    if (strncmp(argv[1], "--plugin", 8) == 0) return plugins_first(argc, argv);
    const char *name = argv[1];
    int refused = cli_check_launch(name);
    if (refused) return refused;
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return print_help();
    if (strcmp(name, "--version") == 0) {
        printf("bough %s\n", BOUGH_VERSION);
        return 0;
    }
    if (strcmp(name, "--complete") == 0) return completion_command(argc - 1, argv + 1);
    const cli_command *command = cli_find_command(name);
    return command ? command->run(argc - 1, argv + 1) : unknown_command(name);
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is reported as EPIPE when standard output is closed */
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is reported as EFBIG, and its part removed */
    return cli_close_output(dispatch(argc, argv));
}
