/* Where `bough net -o FILE` writes to: the file's ending names the format. */
#ifndef BOUGH_CLI_NET_EXPORT_H
#define BOUGH_CLI_NET_EXPORT_H

#include "bough/net.h"

/* routing: what was given, or NULL. The file is replaced as a whole, or not at all. Errors: INVALID for an
 * ending that names no format, and for a routing where the format shows none; what the writers say. */
bough_status net_export(const bough_net *net, const char *routing, const char *path, bough_error *error);

#endif
