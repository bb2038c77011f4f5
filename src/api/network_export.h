/* Networks in the formats of `bough list formats`. */
#ifndef BOUGH_API_NETWORK_EXPORT_H
#define BOUGH_API_NETWORK_EXPORT_H

#include "base/text/text.h"
#include "bough/net.h"

/* Options of `bough net -o FILE`; each may be NULL. */
typedef struct net_export_options {
    const char *routing;
    const char *mark; /* drawing_marks_make */
} net_export_options;

/* Implements `bough net -o FILE`: the ending of the file selects the format. The file is replaced completely
 * or not at all. Errors: INVALID for an unknown ending, for a routing if the format does not contain one, and
 * for marks if it is not a drawing; those of the writers. */
bough_status net_export(const bough_net *net, const net_export_options *options, const char *path,
                        bough_error *error);

/* The same as a text. format: a name of `bough list formats`. */
bough_status network_text(const bough_net *net, const char *routing, const char *format, bough_text *text,
                          bough_error *error);

#endif
