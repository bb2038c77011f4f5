/* The network as the page carries it: names, links, and the next hops of a routing. */
#ifndef BOUGH_REPORT_PAGES_FABRIC_PAGE_NETWORK_H
#define BOUGH_REPORT_PAGES_FABRIC_PAGE_NETWORK_H

#include "base/json/json_writer.h"
#include "fabric/check/check_routing.h"
#include "routing/routing.h"

/* "net": nodes, links and their drawing; null beyond the limits of drawing_zoomable. */
bool page_net_fits(const bough_net *net);
bough_status page_put_net(json_writer *w, const bough_net *net, bough_error *error);
/* "weights": by link, how many times a flow on it counts (bough_link_weight); empty where all count once. */
void page_put_weights(json_writer *w, const bough_net *net, const bough_link_rates *rates);

/* "layout": the picture of its layout by the H-tree method; null where it has none, or is larger than a page
 * shows well. */
void page_put_layout(json_writer *w, const bough_net *net);
/* "packaging": the stacks as boxes in space; null where there are none, or too many (*left_out then). */
bough_status page_put_packaging(json_writer *w, const bough_net *net, bool *left_out, bough_error *error);

/* "hops_to": null where next hops do not depend on node and address alone, or are too many; *why then says
 * which (static), else it is NULL. */
bough_status page_put_hops(json_writer *w, const bough_routing *routing, const char **why,
                           bough_error *error);

#endif
