/* Shared parts of the methods that route over channels (offline, online): the tree, the difficulty of a
 * batch, the rows. */
#ifndef BOUGH_ENGINES_CHANNELS_CHANNEL_SETTING_H
#define BOUGH_ENGINES_CHANNELS_CHANNEL_SETTING_H

#include "bough/method.h"
#include "engines/channels/channel_tree.h"

typedef struct channel_work {
    channel_tree tree;
    uint32_t *up, *down, *count;
    uint64_t *crossing;
} channel_work;

/* Memory estimate, including the batch. */
uint64_t channel_work_bytes(const bough_run *run);
/* Initialises in place, because engines borrow the tree. Errors: as channel_tree_make; channel_work_fini is
 * valid after them too. */
bough_status channel_work_init(channel_work *work, const bough_net *net, bough_error *error);
void channel_work_fini(channel_work *work);

/* b: the value of the method's body=, or lg n. */
double channel_body(const bough_run *run, const bough_value *body);

/* Adds passes, bit_steps, load_factor, eta, degree, norm_passes, messages. */
bough_status channel_work_rows(channel_work *work, const bough_batch *batch, const channel_load *load,
                               double passes, double bit_steps, bough_rows *rows, bough_error *error);

#endif
