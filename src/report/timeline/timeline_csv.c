/* The messages of a recorded trial, and what links carried over time, as CSV: docs/csv.md. */
#include "base/status/try.h"
#include "base/text/escape.h"
#include "report/timeline/recorded_trial.h"

#include <inttypes.h>

/* Seconds, exactly; empty: never. */
static void put_time(bough_text *out, uint64_t picoseconds) {
    const uint64_t second = UINT64_C(1000000000000);
    bough_text_put(out, ",");
    if (picoseconds != BOUGH_NONE)
        bough_text_printf(out, "%" PRIu64 ".%012" PRIu64, picoseconds / second, picoseconds % second);
}

static void put_name(bough_text *out, const bough_net *net, uint64_t node) {
    char name[160];
    bough_text_put(out, ",");
    bough_text_put_csv(out, bough_node_name(net, node, name, sizeof name));
}

/* ---- messages ---- */

/* Of the message of a send in the network; nothing if it stayed within its endpoint or never arrived. */
static void put_network(bough_text *out, const bough_net *net, const timeline_op *p) {
    char name[200], number[40];
    if (p->inside || p->arrived == BOUGH_NONE || p->left == BOUGH_NONE) {
        bough_text_put(out, ",,,");
        return;
    }
    uint64_t took = p->arrived - p->left, alone = timeline_ideal(p);
    put_time(out, alone);
    bough_text_put(out, ",");
    if (alone) bough_text_put(out, bough_format_real((double)took / (double)alone, number, sizeof number));
    bough_text_put(out, ",");
    if (p->link != TIMELINE_NONE && took > alone)
        bough_text_put_csv(out, bough_link_name(net, p->link, name, sizeof name));
}

static void put_message(bough_text *out, const recorded_trial *trial, uint32_t send) {
    const bough_op *op = &trial->s->op[send];
    const timeline_op *p = &trial->t->op[send];
    const bough_net *net = trial->run->point.net;
    uint32_t rank = timeline_rank(trial->s, send);
    bough_text_printf(out, ",%" PRIu32 ",%" PRIu32, rank, op->peer);
    put_name(out, net, trial->w->endpoint[rank]);
    put_name(out, net, trial->w->endpoint[op->peer]);
    bough_text_printf(out, ",%" PRIu64 ",%" PRIu32 ",", op->size, op->tag);
    bough_text_put_csv(out, trial->s->labels[op->label]);
    bough_text_put(out, ",");
    if (op->line) bough_text_printf(out, "%" PRIu32, op->line);
    put_time(out, p->start == BOUGH_NONE ? BOUGH_NONE : timeline_ready(trial->t, send));
    put_time(out, p->left);
    put_time(out, p->arrived);
    put_time(out, p->done);
    put_network(out, net, p);
    bough_text_put(out, "\n");
}

bough_status timeline_put_messages(const recorded_trial *trial, output_stream *out, bough_error *error) {
    bough_status status = BOUGH_OK;
    uint64_t id = 0;
    bough_text_put(&out->text,
                   "id,from_rank,to_rank,from,to,bytes,tag,label,line,posted,started,arrived,received,"
                   "alone,slowdown,link\n");
    for (uint32_t o = 0; o < trial->s->ops && !status; o++) {
        if (trial->s->op[o].kind != BOUGH_OP_SEND) continue;
        bough_text_printf(&out->text, "%" PRIu64, id++);
        put_message(&out->text, trial, o);
        status = output_stream_flush(out, error);
    }
    return status;
}

/* ---- links ---- */

bough_status timeline_put_link_use(const recorded_trial *trial, output_stream *out, bough_error *error) {
    const timeline *t = trial->t;
    const bough_net *net = trial->run->point.net;
    bough_status status = BOUGH_OK;
    char number[40];
    bough_text_put(&out->text, "link,from,to,begin,end,bytes,gbit_s\n");
    for (uint64_t i = 0; i < t->links * TIMELINE_BINS && !status; i++) {
        uint64_t link = i / TIMELINE_BINS, bin = i % TIMELINE_BINS;
        if (t->bits[i] <= 0) continue;
        bough_text_printf(&out->text, "%" PRIu64, link);
        put_name(&out->text, net, bough_link_start(net, link));
        put_name(&out->text, net, net->ops->link_end(net, link).node);
        put_time(&out->text, bin * t->width);
        put_time(&out->text, (bin + 1) * t->width);
        bough_text_printf(&out->text, ",%s", bough_format_real(t->bits[i] / 8, number, sizeof number));
        bough_text_printf(&out->text, ",%s\n",
                          bough_format_real(t->bits[i] / (double)t->width * 1e3, number, sizeof number));
        status = output_stream_flush(out, error);
    }
    return status;
}
