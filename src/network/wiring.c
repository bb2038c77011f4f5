#include "network/wiring.h"

#include <inttypes.h>

typedef struct selection {
    const bough_net *net;
    wiring_filter *keep;
} selection;

static uint32_t start_of(const void *context, uint32_t link) {
    const selection *s = context;
    return s->keep && !s->keep(s->net, link) ? ROWS_NONE : (uint32_t)bough_link_start(s->net, link);
}

static uint32_t end_of(const void *context, uint32_t link) {
    const selection *s = context;
    return s->keep && !s->keep(s->net, link) ? ROWS_NONE : (uint32_t)s->net->ops->link_end(s->net, link).node;
}

static bough_status make(compressed_rows *rows, const selection *s, rows_row_of *row_of, bough_error *error) {
    if (s->net->links >= UINT32_MAX || s->net->nodes >= UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "%s has %" PRIu64 " links; fewer than 2^32 - 1 can be listed", s->net->spec,
                          s->net->links);
    *rows = (compressed_rows){
        .rows = (uint32_t)s->net->nodes, .items = (uint32_t)s->net->links, .memory = rows->memory};
    return rows_make(rows, row_of, s, error);
}

bough_status wiring_out(compressed_rows *out, const bough_net *net, wiring_filter *keep, bough_error *error) {
    return make(out, &(selection){net, keep}, start_of, error);
}

bough_status wiring_in(compressed_rows *in, const bough_net *net, wiring_filter *keep, bough_error *error) {
    return make(in, &(selection){net, keep}, end_of, error);
}
