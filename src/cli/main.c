/* bough: the command. Finds the verb and calls it. */
#include "base/text/text.h"
#include "bough/spec.h"
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *synopsis, *summary;
    int (*run)(int argc, char **argv);
} verbs[] = {
    {"list", "[KIND] [NAME]", "networks, routings, traffic, methods, ...", bough_verb_list},
    {"net", "NETWORK", "describe, export or draw a network", bough_verb_net},
    {"sim", "NETWORK [TRAFFIC] METHOD...", "evaluate one point by one or more methods", bough_verb_sim},
    {"run", "STUDY", "run a grid of points; resumable", bough_verb_run},
    {"report", "RESULTS", "print the results of a study", bough_verb_report},
    {"check", "FABRIC", "check a real fabric and its forwarding tables", bough_verb_check},
    {"plan", "--hosts H --radix R", "costed fat-trees for given hosts and switches", bough_verb_plan},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static int print_help(void) {
    printf("usage: bough VERB ...\n\n"
           "Predicts how a fat-tree network behaves:\n"
           "network x routing x traffic x method -> metrics.\n\n");
    for (size_t i = 0; i < VERBS; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", verbs[i].name, verbs[i].synopsis);
        printf("  %-32s %s\n", left, verbs[i].summary);
    }
    printf("\n"
           "bough VERB --help describes a verb; bough --version prints the version.\n\n"
           "  bough sim fattree:n=1024 uniform circuit:mode=rounds bins:model=1\n"
           "  bough run strumpen2005/fig4 --dry-run\n"
           "  bough check fabric.ibnetdiscover --lft opensm-lfts.dump\n");
    return 0;
}

static int unknown_verb(const char *name) {
    const char *names[VERBS];
    for (size_t i = 0; i < VERBS; i++) names[i] = verbs[i].name;
    bough_text reason = {0};
    char hint[BOUGH_HINT_MAX];
    bough_text_printf(&reason, "no verb '%s'%s; there are: ", name, bough_hint(hint, name, names, VERBS));
    bough_text_put_list(&reason, names, VERBS);
    bough_error error;
    bough_fail_text(&error, BOUGH_INVALID, NULL, &reason);
    return cli_fail(&error);
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        cli_wrong(NULL, "a verb is missing");
        return 2;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return print_help();
    if (strcmp(name, "--version") == 0) {
        printf("bough %s\n", BOUGH_VERSION);
        return 0;
    }
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0) return verbs[i].run(argc - 1, argv + 1);
    return unknown_verb(name);
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is reported as EPIPE when standard output is closed */
    return cli_close_output(dispatch(argc, argv));
}
