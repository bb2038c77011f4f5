/* What the methods that route over channels (offline, online) share: the parameter body=, the tree, the
 * difficulty of a batch, the rows. */
#ifndef BOUGH_ENGINES_CHANNELS_CHANNEL_SETTING_H
#define BOUGH_ENGINES_CHANNELS_CHANNEL_SETTING_H

#include "bough/method.h"
#include "engines/channels/channel_tree.h"

/* The first parameter of these methods. */
enum { CHANNEL_BODY, CHANNEL_PARAMS };
#define CHANNEL_PARAM_LIST                                                                                   \
    [CHANNEL_BODY] = {"body", "bits of a message's body; default: lg n", BOUGH_INT, "", 1, 0x1p20}
/* b: the value of body=, or lg n. */
double channel_body(const bough_run *run);

/* Sets run->bytes and checks area=, whose index is given. router: bytes of the method's own workspace. */
bough_status channel_open(bough_run *run, uint64_t router, unsigned area, bough_error *error);

/* The start of the workspace of these methods. */
typedef struct channel_work {
    channel_tree tree;
    uint32_t *up, *down, *count;
    uint64_t *crossing;
} channel_work;

/* Allocates a workspace of `size` bytes that starts with a channel_work, and makes the latter. Errors: as
 * channel_tree_make; channel_work_destroy is valid after them too. */
bough_status channel_work_create(const bough_net *net, size_t size, void **workspace, bough_error *error);
void channel_work_destroy(channel_work *work);

typedef struct channel_result {
    const channel_load *load;
    double passes, bit_steps;
} channel_result;

/* Adds passes, bit_steps, load_factor, eta, degree, norm_passes, messages. */
bough_status channel_work_rows(channel_work *work, const bough_batch *batch, const channel_result *result,
                               bough_rows *rows, bough_error *error);

#endif
