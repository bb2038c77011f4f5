/* Batches: all messages at time 0. A pattern selects senders and destinations. */
#ifndef BOUGH_TRAFFIC_PATTERNS_BATCH_H
#define BOUGH_TRAFFIC_PATTERNS_BATCH_H

#include "network/hosts.h"
#include "traffic/traffic.h"

/* Allocates the arrays of m messages; bough_batch_fini frees them. */
bough_status batch_alloc(uint64_t m, bough_batch *batch, bough_error *error);
/* The same with sources: m distinct endpoints of n, uniform over all subsets, ascending. O(m + n/64). */
bough_status batch_draw_sources(uint64_t n, uint64_t m, bough_key key, bough_batch *batch,
                                bough_error *error);

/* Creates a message source from a batch and takes ownership of its arrays (freed by close, or on failure). */
bough_status batch_source(const bough_batch *batch, bough_source **out, bough_error *error);
/* Sets the sizes and times (ascending) of its messages; NULL: all 1, all 0. Takes ownership. */
void batch_source_set(bough_source *source, uint64_t *size, uint64_t *time);

/* Calls visit for all messages of a traffic whose messages wait for nothing: of a batch, or of a list with
 * times. Errors: those of opening a source. */
bough_status batch_each(const bough_traffic *traffic, bough_key key,
                        void (*visit)(void *context, const bough_message *message), void *context,
                        bough_error *error);

/* Draws a permutation of 0 .. n-1, independent for each value of `which`. O(n). */
void random_permutation(bough_key key, uint64_t which, uint64_t n, uint32_t *image);
/* The same of the endpoints of each plane, of planes of one size the same. image: [2 * endpoints], of which
 * the first half is the result. */
void random_permutation_in_planes(bough_key key, const net_plane_order *order, uint32_t *image);

/* Binds m: default n, 1 <= m <= n. Sets traffic->messages. In the pattern of a stream m stays unset. */
bough_status bind_m(bough_args *args, const bough_net *net, bough_traffic *traffic, bough_error *error);
/* Refuses m in the pattern of a stream. */
bough_status refuse_m(const bough_args *args, const bough_traffic *traffic, bough_error *error);

extern const bough_traffic_kind bough_traffic_uniform, bough_traffic_hotspot, bough_traffic_incast,
    bough_traffic_alltoall, bough_traffic_randperm, bough_traffic_shift, bough_traffic_transpose,
    bough_traffic_bitrev, bough_traffic_bitcomp, bough_traffic_shuffle, bough_traffic_tornado,
    bough_traffic_neighbor, bough_traffic_messages, bough_traffic_poisson, bough_traffic_bernoulli,
    bough_traffic_local, bough_traffic_hrelation, bough_traffic_motexp, bough_traffic_heights,
    bough_traffic_weights;

#endif
