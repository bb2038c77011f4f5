#include "engines/channels/channel_setting.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/rows.h"
#include "models/geometry/area_time.h"
#include "models/link_load/tree_crossings.h"

#include <stdlib.h>

double channel_body(const bough_run *run) {
    const bough_value *body = &run->args.value[CHANNEL_BODY];
    return body->set ? (double)body->integer : tree_height(run->point.net->endpoints);
}

bough_status channel_open(bough_run *run, uint64_t router, unsigned area, bough_error *error) {
    const bough_net *net = run->point.net;
    uint64_t bytes = bough_add(channel_tree_bytes(net), bough_mul(run->point.traffic->messages, 8));
    bytes = bough_add(bytes, bough_mul(net->endpoints, 5 * sizeof(uint32_t)));
    bytes = bough_add(bytes, UINT64_C(16) << tree_height(net->endpoints));
    run->bytes = bough_add(router, bytes);
    return run->args.value[area].integer ? at2_open(run, error) : BOUGH_OK;
}

bough_status channel_work_create(const bough_net *net, size_t size, void **workspace, bough_error *error) {
    bough_status status = bough_alloc(workspace, 1, size, error);
    if (status) return status;
    channel_work *w = *workspace;
    status = channel_tree_make(net, &w->tree, error);
    TRY(bough_alloc(&w->up, w->tree.channels, sizeof *w->up, error));
    TRY(bough_alloc(&w->down, w->tree.channels, sizeof *w->down, error));
    TRY(bough_alloc(&w->count, net->endpoints, sizeof *w->count, error));
    TRY(bough_alloc(&w->crossing, UINT64_C(2) << tree_height(net->endpoints), sizeof *w->crossing, error));
    return status;
}

void channel_work_destroy(channel_work *w) {
    channel_tree_fini(&w->tree);
    free(w->up);
    free(w->down);
    free(w->count);
    free(w->crossing);
    free(w);
}

bough_status channel_work_rows(channel_work *w, const bough_batch *batch, const channel_result *result,
                               bough_rows *rows, bough_error *error) {
    const bough_net *net = w->tree.net;
    unsigned height = tree_height(net->endpoints);
    double factor = result->load->both;
    count_crossings(net, batch, height, w->crossing);
    const optional_row lines[] = {
        {true, BOUGH_METRIC_PASSES, result->passes},
        {true, BOUGH_METRIC_BIT_STEPS, result->bit_steps},
        {true, BOUGH_METRIC_LOAD_FACTOR, factor},
        {true, BOUGH_METRIC_ETA, crossing_factor(w->crossing, height, reference_lg_weight)},
        {true, BOUGH_METRIC_DEGREE, (double)message_degree(net, batch, w->count)},
        {factor + height > 0, BOUGH_METRIC_NORM_PASSES, result->passes / (factor + height)},
        {true, BOUGH_METRIC_MESSAGES, (double)batch->count},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}
