#ifndef BOUGH_CLI_NETWORK_H
#define BOUGH_CLI_NETWORK_H

#include "cli/cli.h"

/* The network a verb's argument names, with --order, --endpoints and --aggregation merged in; *spec is heap.
 * A spec stays as it is; where file is set, what is no spec is the path of a fabric file: ibnet:FILE. */
bough_status cli_network_spec(const cli_args *args, const char *argument, bool file, char **spec, bough_error *error);

#endif
