/* Networks in the formats of `bough list formats`. */
#ifndef BOUGH_API_NETWORK_EXPORT_H
#define BOUGH_API_NETWORK_EXPORT_H

#include "base/text/text.h"
#include "bough/net.h"

/* Implements `bough net -o FILE`: the ending of the file selects the format. routing: the option's value, or
 * NULL. The file is replaced completely or not at all. Errors: INVALID for an
 * unknown ending, and for a routing if the format does not contain one; those of the writers. */
bough_status net_export(const bough_net *net, const char *routing, const char *path, bough_error *error);

/* The same as a text. format: a name of `bough list formats`. */
bough_status network_text(const bough_net *net, const char *routing, const char *format, bough_text *text,
                          bough_error *error);

#endif
