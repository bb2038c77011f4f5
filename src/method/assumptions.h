/* What a run assumes about the machine, in the words that all methods share. Methods call these in open. */
#ifndef BOUGH_METHOD_ASSUMPTIONS_H
#define BOUGH_METHOD_ASSUMPTIONS_H

#include "method/method.h"

/* Adds an assumption. what: "links", "delay", "units", "buffers", "hosts", "time", "contention". */
__attribute__((format(printf, 3, 4))) void run_assume(bough_run *run, const char *what, const char *format,
                                                      ...);
/* "4KiB", "65535B". Returns buffer. */
char *run_format_bytes(uint64_t bytes, char *buffer, size_t size);
/* Rates of links: those of the network and its setting, or `rate` of all links (0: none given). */
void run_assume_links(bough_run *run, uint64_t rate);
/* Delays of links and switches. */
void run_assume_delay(bough_run *run);
/* Sizes of messages: of a batch, whose messages have size 1, in units of this number of bytes; of a
 * collective. */
void run_assume_sizes(bough_run *run, uint64_t unit);
/* Time in cycles of a flit. */
void run_assume_flit_cycles(bough_run *run);
/* Wormhole switching with buffers of this number of flits in each virtual channel. */
void run_assume_wormhole(bough_run *run, unsigned buffer, unsigned channels);
/* Costs of hosts, if the traffic is a schedule of ranks. */
void run_assume_hosts(bough_run *run);

#endif
