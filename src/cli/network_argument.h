#ifndef BOUGH_CLI_NETWORK_ARGUMENT_H
#define BOUGH_CLI_NETWORK_ARGUMENT_H

#include "cli/cli.h"

/* The network a verb's argument names, with --order, --endpoints and --aggregation merged in; *spec is heap.
 * A spec stays as it is; the path of a file that exists becomes ibnet:FILE. file: the argument is meant to be
 * a file, so that a path where there is nothing is said to be one. */
bough_status cli_network_spec(const cli_args *args, const char *argument, bool file, char **spec,
                              bough_error *error);

/* --faults, all of them joined; NULL: none. Heap. */
bough_status cli_faults(const cli_args *args, char **spec, bough_error *error);
#define CLI_FAULTS_OPTION                                                                                    \
    {                                                                                                        \
        "faults", 0, "SPEC",                                                                                 \
            "without what SPEC names (`bough list faults`), as in\nchips:share=5%; several add up",          \
            CLI_REPEAT                                                                                       \
    }

/* A network and, with --faults, what is left of it. */
typedef struct cli_net {
    struct bough_net *whole, *faulty;
    const struct bough_net *net; /* the one to look at */
} cli_net;
/* argument, file: as for cli_network_spec. */
bough_status cli_net_open(const cli_args *args, const char *argument, bool file, cli_net *net,
                          bough_error *error);
void cli_net_close(cli_net *net);

#endif
