#ifndef BOUGH_CLI_NETWORK_H
#define BOUGH_CLI_NETWORK_H

#include "cli/cli.h"

#include <jansson.h>

/* The network a verb's argument names, with --order, --endpoints and --aggregation merged in; *spec is heap.
 * A spec stays as it is; the path of a file that exists becomes ibnet:FILE. file: the argument is meant to be
 * a file, so that a path where there is nothing is said to be one. */
bough_status cli_network_spec(const cli_args *args, const char *argument, bool file, char **spec,
                              bough_error *error);

/* Arguments and fabric files hold any bytes, JSON is UTF-8: what is neither becomes '?'. */
json_t *cli_json_text(const char *bytes);

#endif
