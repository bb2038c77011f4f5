#ifndef BOUGH_CLI_NETWORK_ARGUMENT_H
#define BOUGH_CLI_NETWORK_ARGUMENT_H

#include "cli/cli.h"

/* Converts the network argument of a command to a spec, with --order, --endpoints and --aggregation merged
 * in; *spec is heap-allocated. A spec is kept; the path of an existing file becomes ibnet:FILE. file: the
 * argument must be a file, so that a missing one is reported as such. */
bough_status cli_network_spec(const cli_args *args, const char *argument, bool file, char **spec,
                              bough_error *error);

/* All --faults, joined; NULL: none. Heap. */
bough_status cli_faults(const cli_args *args, char **spec, bough_error *error);
#define CLI_FAULTS_OPTION                                                                                    \
    {                                                                                                        \
        "faults", 0, "SPEC",                                                                                 \
            "without the parts that SPEC names (`bough list faults`), as in\nchips:share=5%; several "       \
            "accumulate",                                                                                    \
            CLI_REPEAT, "FAULTS"                                                                             \
    }

#define CLI_PHYSICAL_OPTION                                                                                  \
    {                                                                                                        \
        "physical", 0, "SPEC",                                                                               \
            "rates, delays, sizes and hosts (`bough list physical`),\nas in ndr or default:rate=25Gb/s", 0,  \
            "PHYSICAL"                                                                                       \
    }

/* A network and, with --faults, the remaining network. */
typedef struct cli_net {
    struct bough_net *whole, *faulty;
    struct bough_physical *physical; /* of --physical; NULL: the default */
    const struct bough_net *net;     /* the network to use */
} cli_net;
/* argument, file: as for cli_network_spec. */
bough_status cli_net_open(const cli_args *args, const char *argument, bool file, cli_net *net,
                          bough_error *error);
void cli_net_close(cli_net *net);

#endif
