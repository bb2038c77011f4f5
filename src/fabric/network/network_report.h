/* What `bough net` says of a network. */
#ifndef BOUGH_FABRIC_NETWORK_NETWORK_REPORT_H
#define BOUGH_FABRIC_NETWORK_NETWORK_REPORT_H

#include "base/text/text.h"
#include "network/net.h"

/* For people, and as JSON (`net` of docs/schema). The caller frees *text. Errors: NO_MEMORY. Cost: linear in
 * links; with faults, in ordered pairs where the network counts them so. */
bough_status bough_network_report_text(const bough_net *net, size_t width, char **text, bough_error *error);
bough_status bough_network_report_json(const bough_net *net, char **text, bough_error *error);

#endif
