/* Messages on a fat-tree in SimGrid, where that is installed: a second opinion. */
#ifndef BOUGH_SIMGRID_FLOWS_H
#define BOUGH_SIMGRID_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The k-ary 3-tree with D-mod-K routing, 100 Gb/s and 100 ns a link, every direction by itself; message i
 * goes from host i mod n to host to[i] at time 0. SimGrid's own model of TCP is switched off: no factors, no
 * window. cross: its `network/crosstraffic`. end: s, of each message; seconds: CPU time of the run. Once a
 * process. False where bench_flow was built without SimGrid. */
bool simgrid_flows(unsigned k, bool cross, bool full, uint32_t n, uint32_t count, const uint32_t *to,
                   const uint64_t *size, double *end, double *seconds);

#ifdef __cplusplus
}
#endif

#endif
