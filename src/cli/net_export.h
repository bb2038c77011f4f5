/* Implements `bough net -o FILE`: the ending of the file selects the format. */
#ifndef BOUGH_CLI_NET_EXPORT_H
#define BOUGH_CLI_NET_EXPORT_H

#include "bough/net.h"

/* routing: the option's value, or NULL. The file is replaced completely or not at all. Errors: INVALID for an
 * unknown ending, and for a routing if the format does not contain one; those of the writers. */
bough_status net_export(const bough_net *net, const char *routing, const char *path, bough_error *error);

#endif
