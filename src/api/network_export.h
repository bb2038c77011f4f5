/* Networks in the formats of `bough list formats`. */
#ifndef BOUGH_API_NETWORK_EXPORT_H
#define BOUGH_API_NETWORK_EXPORT_H

#include "base/text/text.h"
#include "network/net.h"

/* Options of `bough net -o FILE`; each may be NULL. */
typedef struct net_export_options {
    const char *routing;
    const char *mark; /* drawing_marks_make */
} net_export_options;

/* What `bough net -o FILE` can refuse before there is a network: the ending of the file, which selects the
 * format. Errors: INVALID for an unknown ending, for a routing if the format does not contain one, and for
 * marks if it is not a drawing; those of bough_output_check. */
bough_status net_export_check(const net_export_options *options, const char *path, bough_error *error);
/* The text of the file. The caller frees it. */
bough_status net_export(const bough_net *net, const net_export_options *options, const char *path,
                        bough_text *text, bough_error *error);

/* The same as a text. format: a name of `bough list formats`. */
bough_status network_text(const bough_net *net, const char *routing, const char *format, bough_text *text,
                          bough_error *error);

#endif
