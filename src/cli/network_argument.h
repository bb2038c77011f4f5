#ifndef BOUGH_CLI_NETWORK_ARGUMENT_H
#define BOUGH_CLI_NETWORK_ARGUMENT_H

#include "bough.h"
#include "cli/cli.h"

/* Converts the network argument of a command to a spec, with --order, --endpoints and --aggregation merged
 * in; *spec is heap-allocated. A spec is kept; the path of an existing file becomes ibnet:FILE. file: the
 * argument must be a file, so that a missing one is reported as such. */
bough_status cli_network_spec(const cli_args *args, const char *argument, bool file, char **spec,
                              bough_error *error);

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

/* The network with --faults and --physical. argument, file: as for cli_network_spec. */
bough_status cli_network_open(const cli_args *args, const char *argument, bool file, bough_network **network,
                              bough_error *error);

/* A question with the plug-ins of the command line, and the network; messages about its keys name options.
 * The caller destroys it. */
bough_status cli_question(const cli_args *args, const char *network, bough_question **question,
                          bough_error *error);
/* Sets the keys of the question that are options of these names (ends with NULL), as often as they were
 * given. */
bough_status cli_question_take(const cli_args *args, const char *const *name, bough_question *question,
                               bough_error *error);

#endif
