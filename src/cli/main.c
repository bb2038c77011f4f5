/* bough: finds the command and calls it. */
#include "base/text/text.h"
#include "bough/spec.h"
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *synopsis, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"list", "[KIND] [NAME]", "networks, routings, traffic, methods, ...", list_command},
    {"net", "NETWORK", "describe, export or draw a network", net_command},
    {"sim", "NETWORK [TRAFFIC] METHOD...", "evaluate one point by one or more methods", sim_command},
    {"run", "STUDY", "run a grid of points; resumable", run_command},
    {"report", "RESULTS", "print the results of a study", report_command},
    {"check", "FABRIC", "check a real fabric and its forwarding tables", check_command},
    {"plan", "--hosts H --radix R", "costed fat-trees for given hosts and switches", plan_command},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static int print_help(void) {
    printf("usage: bough COMMAND ...\n\n"
           "Predicts how a fat-tree network behaves:\n"
           "network x routing x traffic x method -> metrics.\n\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", commands[i].name, commands[i].synopsis);
        printf("  %-32s %s\n", left, commands[i].summary);
    }
    printf("\n"
           "bough COMMAND --help describes a command; bough --version prints the version.\n\n"
           "  bough sim fattree:n=1024 uniform circuit:mode=rounds bins:model=1\n"
           "  bough run strumpen2005/fig4 --dry-run\n"
           "  bough check fabric.ibnetdiscover --lft opensm-lfts.dump\n");
    return 0;
}

static int unknown_command(const char *name) {
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) names[i] = commands[i].name;
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

/* bough --plugin FILE COMMAND ... is bough COMMAND --plugin FILE ... */
static int plugin_first(int argc, char **argv) {
    int words = strchr(argv[1], '=') ? 1 : 2; /* of the option */
    if (argc < 2 + words) return cli_wrong(NULL, "a command is missing");
    char *option[2] = {argv[1], argv[2]}, *command = argv[1 + words];
    if (strncmp(command, "--plugin", 8) == 0) return cli_wrong(NULL, "give one --plugin before the command");
    argv[1] = command;
    for (int i = 0; i < words; i++) argv[2 + i] = option[i];
    return dispatch(argc, argv);
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        cli_wrong(NULL, "a command is missing");
        return 2;
    }
    if (strncmp(argv[1], "--plugin", 8) == 0) return plugin_first(argc, argv);
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return print_help();
    if (strcmp(name, "--version") == 0) {
        printf("bough %s\n", BOUGH_VERSION);
        return 0;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0) return commands[i].run(argc - 1, argv + 1);
    return unknown_command(name);
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is reported as EPIPE when standard output is closed */
    return cli_close_output(dispatch(argc, argv));
}
