#ifndef BOUGH_CLI_NETWORK_ARGUMENT_H
#define BOUGH_CLI_NETWORK_ARGUMENT_H

#include "bough.h"
#include "cli/cli.h"
#include "network/spec_or_file.h"

/* Opens the network of a question, with the plug-ins of the command line. */
bough_status cli_network_open(const cli_args *args, const network_asked *asked, bough_network **network,
                              bough_error *error);

#endif
