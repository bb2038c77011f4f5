#include "engines/channels/channel_setting.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/result_rows.h"
#include "models/link_load/tree_crossings.h"

#include <stdlib.h>

uint64_t channel_work_bytes(const bough_run *run) {
    const bough_net *net = run->point.net;
    uint64_t bytes = bough_add(channel_tree_bytes(net), bough_mul(run->point.traffic->messages, 8));
    bytes = bough_add(bytes, bough_mul(net->endpoints, 5 * sizeof(uint32_t)));
    return bough_add(bytes, UINT64_C(16) << tree_height(net->endpoints));
}

bough_status channel_work_init(channel_work *w, const bough_net *net, bough_error *error) {
    *w = (channel_work){0};
    bough_status status = channel_tree_make(net, &w->tree, error);
    TRY(bough_alloc(&w->up, w->tree.channels, sizeof *w->up, error));
    TRY(bough_alloc(&w->down, w->tree.channels, sizeof *w->down, error));
    TRY(bough_alloc(&w->count, net->endpoints, sizeof *w->count, error));
    if (!status)
        status =
            bough_alloc(&w->crossing, UINT64_C(2) << tree_height(net->endpoints), sizeof *w->crossing, error);
    return status;
}

void channel_work_fini(channel_work *w) {
    channel_tree_fini(&w->tree);
    free(w->up);
    free(w->down);
    free(w->count);
    free(w->crossing);
}

double channel_body(const bough_run *run, const bough_value *body) {
    return body->set ? (double)body->integer : tree_height(run->point.net->endpoints);
}

bough_status channel_work_rows(channel_work *w, const bough_batch *batch, const channel_load *load,
                               double passes, double bit_steps, bough_rows *rows, bough_error *error) {
    const bough_net *net = w->tree.net;
    unsigned height = tree_height(net->endpoints);
    count_crossings(net, batch, height, w->crossing);
    const answer_line lines[] = {
        {true, BOUGH_METRIC_PASSES, passes},
        {true, BOUGH_METRIC_BIT_STEPS, bit_steps},
        {true, BOUGH_METRIC_LOAD_FACTOR, load->both},
        {true, BOUGH_METRIC_ETA, crossing_factor(w->crossing, height, reference_lg_weight)},
        {true, BOUGH_METRIC_DEGREE, (double)message_degree(net, batch, w->count)},
        {load->both + height > 0, BOUGH_METRIC_NORM_PASSES, passes / (load->both + height)},
        {true, BOUGH_METRIC_MESSAGES, (double)batch->count},
    };
    return answer_add(rows, lines, sizeof lines / sizeof *lines, error);
}
