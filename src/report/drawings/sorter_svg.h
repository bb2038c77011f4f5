/* The flexible sorter at the root of a sorting fat-tree, as in Figure 4 of bay1991: s cycles of l/s cells,
 * the switches that close them at a power of two, an Omega network between the cycles, and the sorting
 * circuit. Not to scale; layout:kind=sorter has the lengths. */
#ifndef BOUGH_REPORT_DRAWINGS_SORTER_SVG_H
#define BOUGH_REPORT_DRAWINGS_SORTER_SVG_H

#include "base/text/text.h"
#include "network/net.h"

enum { SORTER_SVG_LINES = 64, SORTER_SVG_CELLS = 64 }; /* the most that are drawn */

/* Errors: UNSUPPORTED for other networks, TOO_LARGE. */
bough_status sorter_svg(const bough_net *net, bough_text *out, bough_error *error);

#endif
