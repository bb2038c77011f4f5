#include "models/queueing/queueing_inputs.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <math.h>
#include <stdlib.h>

bough_status queueing_inputs_check(const queueing_net *q, const char *variant, bough_error *error) {
    uint8_t *served;
    bough_status status = bough_alloc(&served, q->channels, sizeof *served, error);
    for (uint64_t i = 0; i < q->queues && !status; i++)
        for (uint32_t k = 0; k < q->queue[i].members && !status; k++)
            if (served[q->member[q->queue[i].first + k]]++)
                status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                                    "queueing:variant=%s needs routes that offer a whole group or one "
                                    "link of it; %s offers different parts to different addresses",
                                    variant, q->net->spec);
    for (uint64_t t = 0; t < q->turns && !status; t++)
        if (q->queue[q->turn[t].queue].enters > 0)
            status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                                "queueing:variant=%s needs endpoints that only send and receive; those "
                                "of %s also forward messages",
                                variant, q->net->spec);
    free(served);
    return status;
}

static void sort_inputs(const queueing_net *q, queueing_inputs *f) {
    for (uint64_t t = 0; t < q->turns; t++) f->first[q->turn[t].queue + 2]++;
    for (uint64_t i = 0; i < q->queues; i++) f->first[i + 2] += f->first[i + 1];
    for (uint64_t c = 0; c < q->channels; c++)
        for (uint32_t k = 0; k < q->channel[c].turns; k++) {
            const queueing_turn *t = &q->turn[q->channel[c].first + k];
            double links = q->channel[c].links * t->copies / q->queue[t->queue].copies;
            f->input[f->first[t->queue + 1]++] =
                (queueing_input){.channel = (uint32_t)c,
                                 .turn = q->channel[c].first + k,
                                 .links = (uint64_t)llround(links),
                                 .rate = t->rate / t->copies,
                                 .share = t->rate / t->copies / q->channel[c].rate};
        }
}

bough_status queueing_inputs_make(const queueing_net *q, queueing_inputs *in, bough_error *error) {
    *in = (queueing_inputs){0};
    bough_status status = bough_alloc(&in->input, q->turns, sizeof *in->input, error);
    TRY(bough_alloc(&in->first, q->queues + 2, sizeof *in->first, error));
    if (status) return status;
    sort_inputs(q, in);
    for (uint64_t i = 0; i < q->queues; i++) {
        uint64_t links = 0;
        for (uint64_t k = in->first[i]; k < in->first[i + 1]; k++) links += in->input[k].links;
        if (links > in->most) in->most = links;
    }
    return BOUGH_OK;
}

uint64_t queueing_inputs_bytes(const queueing_counts *c) {
    return bough_add(bough_mul(c->turns, sizeof(queueing_input)), bough_mul(c->queues, sizeof(uint64_t)));
}

void queueing_inputs_fini(queueing_inputs *in) {
    FREE_ALL(in->input, in->first);
    *in = (queueing_inputs){0};
}
