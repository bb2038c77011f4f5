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

/* One of a list has no tag and no label. */
typedef struct sent {
    const timeline_op *seen;
    uint64_t bytes, posted;
    uint32_t from, to, line;
    const uint32_t *endpoint;
    const bough_op *op; /* NULL: of a list */
} sent;

static sent send_of(const recorded_trial *trial, uint32_t o) {
    const bough_op *op = &trial->s->op[o];
    const timeline_op *seen = &trial->t->op[o];
    return (sent){.seen = seen,
                  .bytes = op->size,
                  .posted = seen->start == BOUGH_NONE ? BOUGH_NONE : timeline_ready(trial->t, o),
                  .from = timeline_rank(trial->s, o),
                  .to = op->peer,
                  .line = op->line,
                  .endpoint = trial->w->endpoint,
                  .op = op};
}

static sent flow_of(const recorded_trial *trial, uint32_t i) {
    const flow_list_flow *f = &trial->list.list->flow[i];
    const timeline_op *seen = &trial->t->op[i];
    return (sent){.seen = seen,
                  .bytes = f->size,
                  .posted = seen->start,
                  .from = f->source,
                  .to = f->destination,
                  .line = f->line,
                  .endpoint = trial->list.endpoint};
}

static void put_message(bough_text *out, const recorded_trial *trial, sent m) {
    const bough_net *net = trial->run->point.net;
    bough_text_printf(out, ",%" PRIu32 ",%" PRIu32, m.from, m.to);
    put_name(out, net, m.endpoint[m.from]);
    put_name(out, net, m.endpoint[m.to]);
    bough_text_printf(out, ",%" PRIu64 ",", m.bytes);
    if (m.op) bough_text_printf(out, "%" PRIu32, m.op->tag);
    bough_text_put(out, ",");
    if (m.op) bough_text_put_csv(out, trial->s->labels[m.op->label]);
    bough_text_put(out, ",");
    if (m.line) bough_text_printf(out, "%" PRIu32, m.line);
    put_time(out, m.posted);
    put_time(out, m.seen->left);
    put_time(out, m.seen->arrived);
    put_time(out, m.seen->done);
    put_network(out, net, m.seen);
    bough_text_put(out, "\n");
}

bough_status timeline_put_messages(const recorded_trial *trial, output_stream *out, bough_error *error) {
    bough_status status = BOUGH_OK;
    uint64_t id = 0;
    bough_text_put(&out->text,
                   "id,from_rank,to_rank,from,to,bytes,tag,label,line,posted,started,arrived,received,"
                   "alone,slowdown,link\n");
    for (uint32_t o = 0; o < trial->t->ops && !status; o++) {
        if (trial->s && trial->s->op[o].kind != BOUGH_OP_SEND) continue;
        bough_text_printf(&out->text, "%" PRIu64, id++);
        put_message(&out->text, trial, trial->s ? send_of(trial, o) : flow_of(trial, o));
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
