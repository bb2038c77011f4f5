/* A recorded trial in the trace event format of Chrome and Perfetto: docs/timeline.md. Process 1 has the
 * ranks (a thread for each CPU), 2 the messages in flight of every endpoint, 3 the links, 4 the critical
 * path. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/escape.h"
#include "report/timeline/recorded_trial.h"
#include "traffic/timeline/critical_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 1, NICS, LINKS, PATH, LINKS_MAX = 32 };

typedef struct tracer {
    const recorded_trial *trial;
    const bough_schedule *s;
    const timeline *t;
    output_stream *out;
    uint32_t first, end; /* ranks */
    bool some;           /* events so far */
} tracer;

static bool is_shown(const tracer *k, uint32_t rank) {
    return rank >= k->first && rank < k->end;
}

static uint32_t thread_of(const tracer *k, uint32_t rank, uint32_t op) {
    return rank * k->s->cpus + k->s->op[op].cpu;
}

/* ---- events ---- */

static void put_us(bough_text *out, const char *key, uint64_t picoseconds) {
    uint64_t ns = (picoseconds + 500) / 1000;
    bough_text_printf(out, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, ns / 1000, ns % 1000);
}

/* The part that all events have; the caller adds to it, and ends it with "}". */
static bough_text *begin(tracer *k, char phase, int process, uint32_t thread) {
    bough_text *out = &k->out->text;
    bough_text_printf(out, "%s{\"ph\":\"%c\",\"pid\":%d,\"tid\":%" PRIu32, k->some ? ",\n" : "", phase,
                      process, thread);
    k->some = true;
    return out;
}

static void name(tracer *k, int process, int64_t thread, const char *text) {
    bough_text *out = begin(k, 'M', process, thread < 0 ? 0 : (uint32_t)thread);
    bough_text_printf(out,
                      ",\"name\":\"%s\",\"args\":{\"name\":", thread < 0 ? "process_name" : "thread_name");
    bough_text_put_json(out, text);
    bough_text_put(out, "}}");
}

/* Times are rounded to ns at both ends. A span ends 1 ns before the next one begins: viewers add ts and dur
 * in floating point, and would show a span that seems to begin within another below it. */
static void put_span(bough_text *out, uint64_t from, uint64_t to) {
    uint64_t a = (from + 500) / 1000, b = (to + 500) / 1000;
    put_us(out, "ts", from);
    put_us(out, "dur", b > a ? (b - a - 1) * 1000 : 0);
}

static void put_args(bough_text *out, const tracer *k, uint32_t op) {
    const bough_op *p = &k->s->op[op];
    bool message = p->kind != BOUGH_OP_CALC;
    bough_text_put(out, ",\"args\":{\"label\":");
    bough_text_put_json(out, k->s->labels[p->label]);
    if (p->line) bough_text_printf(out, ",\"line\":%" PRIu32, p->line);
    if (message)
        bough_text_printf(out,
                          ",\"from\":%" PRIu32 ",\"to\":%" PRIu32 ",\"bytes\":%" PRIu64 ",\"tag\":%" PRIu32,
                          timeline_rank(k->s, op), p->peer, p->size, p->tag);
}

static void put_name(bough_text *out, const char *category, const char *text, int64_t rank) {
    bough_text_printf(out, ",\"cat\":\"%s\",\"name\":", category);
    char line[80];
    if (rank >= 0) {
        snprintf(line, sizeof line, "%s %" PRId64, text, rank);
        text = line;
    }
    bough_text_put_json(out, text);
}

/* ---- ranks ---- */

static void put_wait(tracer *k, uint32_t thread, uint32_t before, uint64_t until) {
    uint64_t from = timeline_free(k->t, before);
    if (from >= until) return;
    bough_text *out = begin(k, 'X', RANKS, thread);
    put_name(out, "wait", "wait", -1);
    put_span(out, from, until);
    bough_text_put(out, "}");
}

/* Ends of an arrow have the time and the category of their spans: some viewers find these by them. */
static void put_arrow(tracer *k, char phase, uint32_t thread, uint32_t op, uint64_t time) {
    bough_text *out = begin(k, phase, RANKS, thread);
    put_name(out, "message", "message", -1);
    bough_text_printf(out, ",\"id\":%" PRIu32 "%s", op, phase == 'f' ? ",\"bp\":\"e\"" : "");
    put_us(out, "ts", time);
    bough_text_put(out, "}");
}

/* A computation, or the send of a message. */
static void put_own(tracer *k, uint32_t rank, uint32_t op) {
    const timeline_op *p = &k->t->op[op];
    const bough_op *o = &k->s->op[op];
    bool send = o->kind == BOUGH_OP_SEND;
    uint32_t thread = thread_of(k, rank, op);
    const char *label = k->s->labels[o->label];
    put_wait(k, thread, p->before, p->start);
    bough_text *out = begin(k, 'X', RANKS, thread);
    put_name(out, send ? "message" : "compute",
             send     ? "send to"
             : *label ? label
                      : "compute",
             send ? (int64_t)o->peer : -1);
    put_span(out, p->start, p->free);
    put_args(out, k, op);
    bough_text_put(out, "}}");
    if (send && is_shown(k, o->peer) && p->taken != BOUGH_NONE) put_arrow(k, 's', thread, op, p->start);
}

static void put_received(tracer *k, uint32_t rank, uint32_t op) {
    const timeline_op *p = &k->t->op[op];
    uint32_t thread = thread_of(k, k->s->op[op].peer, op);
    put_wait(k, thread, p->message_before, p->taken);
    bough_text *out = begin(k, 'X', RANKS, thread);
    put_name(out, "message", "receive from", rank);
    put_span(out, p->taken, p->done);
    put_args(out, k, op);
    bough_text_put(out, "}}");
    if (is_shown(k, rank)) put_arrow(k, 'f', thread, op, p->taken);
}

static bough_status put_ranks(tracer *k, bough_error *error) {
    bough_status status = BOUGH_OK;
    char text[200], node[96];
    name(k, RANKS, -1, "ranks");
    for (uint32_t r = k->first; r < k->end && !status; r++)
        for (uint32_t c = 0; c < k->s->cpus && !status; c++) {
            bough_node_name(k->trial->run->point.net, k->trial->w->endpoint[r], node, sizeof node);
            if (k->s->cpus > 1)
                snprintf(text, sizeof text, "rank %" PRIu32 " cpu %" PRIu32 " (%s)", r, c, node);
            else
                snprintf(text, sizeof text, "rank %" PRIu32 " (%s)", r, node);
            name(k, RANKS, (int64_t)r * k->s->cpus + c, text);
            status = output_stream_flush(k->out, error);
        }
    for (uint32_t r = 0; r < k->s->ranks && !status; r++)
        for (uint32_t o = k->s->first[r]; o < k->s->first[r + 1] && !status; o++) {
            const timeline_op *p = &k->t->op[o];
            bool send = k->s->op[o].kind == BOUGH_OP_SEND;
            if (is_shown(k, r) && p->free != BOUGH_NONE) put_own(k, r, o);
            if (send && p->taken != BOUGH_NONE && is_shown(k, k->s->op[o].peer)) put_received(k, r, o);
            status = output_stream_flush(k->out, error);
        }
    return status;
}

/* ---- messages in flight ---- */

typedef struct flying {
    uint64_t left;
    uint32_t endpoint, op;
} flying;

static int by_endpoint(const void *a, const void *b) {
    const flying *x = a, *y = b;
    if (x->endpoint != y->endpoint) return x->endpoint > y->endpoint ? 1 : -1;
    if (x->left != y->left) return x->left > y->left ? 1 : -1;
    return (x->op > y->op) - (x->op < y->op);
}

/* Threads of the current endpoint: messages of one thread follow each other. */
typedef struct lanes {
    uint64_t *end; /* ns; [count] */
    size_t capacity;
    uint32_t first, count; /* thread numbers from `first` on */
} lanes;

static bough_status find_lane(tracer *k, lanes *l, const flying *m, uint32_t *lane, bough_error *error) {
    char text[140], node[96];
    uint64_t from = (m->left + 500) / 1000, to = (k->t->op[m->op].arrived + 500) / 1000;
    for (*lane = 0; *lane < l->count && l->end[*lane] > from; ++*lane) continue;
    if (*lane == l->count) {
        bough_status status = bough_grow(&l->end, &l->capacity, l->count + 1, sizeof *l->end, error);
        if (status) return status;
        l->count++;
        bough_node_name(k->trial->run->point.net, m->endpoint, node, sizeof node);
        if (l->count == 1)
            snprintf(text, sizeof text, "%s", node);
        else
            snprintf(text, sizeof text, "%s (%" PRIu32 ")", node, l->count);
        name(k, NICS, (int64_t)l->first + *lane, text);
    }
    l->end[*lane] = to;
    return BOUGH_OK;
}

static void put_flight(tracer *k, const flying *m, uint32_t thread) {
    const timeline_op *p = &k->t->op[m->op];
    char link[200], number[40];
    uint64_t took = p->arrived - p->left, alone = timeline_ideal(p);
    bough_text *out = begin(k, 'X', NICS, thread);
    put_name(out, "network", "to", k->s->op[m->op].peer);
    put_span(out, p->left, p->arrived);
    put_args(out, k, m->op);
    if (alone)
        bough_text_printf(out, ",\"slowdown\":%s",
                          bough_format_real((double)took / (double)alone, number, sizeof number));
    if (p->link != TIMELINE_NONE && took > alone) {
        bough_text_put(out, ",\"link\":");
        bough_text_put_json(out, bough_link_name(k->trial->run->point.net, p->link, link, sizeof link));
    }
    bough_text_put(out, "}}");
}

static size_t collect_flying(const tracer *k, flying *all) {
    size_t count = 0;
    for (uint32_t r = k->first; r < k->end; r++)
        for (uint32_t o = k->s->first[r]; o < k->s->first[r + 1]; o++) {
            const timeline_op *p = &k->t->op[o];
            if (k->s->op[o].kind != BOUGH_OP_SEND || p->inside || p->left == BOUGH_NONE ||
                p->arrived == BOUGH_NONE)
                continue;
            all[count++] = (flying){p->left, k->trial->w->endpoint[r], o};
        }
    return count;
}

static bough_status put_nics(tracer *k, bough_error *error) {
    flying *all;
    lanes l = {0};
    uint32_t lane = 0;
    bough_status status = bough_alloc(&all, k->s->sends, sizeof *all, error);
    if (status) return status;
    size_t count = collect_flying(k, all);
    qsort(all, count, sizeof *all, by_endpoint);
    name(k, NICS, -1, "messages in the network, by endpoint that sent them");
    for (size_t i = 0; i < count && !status; i++) {
        if (i && all[i].endpoint != all[i - 1].endpoint) l.first += l.count, l.count = 0;
        status = find_lane(k, &l, &all[i], &lane, error);
        if (status) break;
        put_flight(k, &all[i], l.first + lane);
        status = output_stream_flush(k->out, error);
    }
    FREE_ALL(all, l.end);
    return status;
}

/* ---- links ---- */

typedef struct carried {
    double bits;
    uint64_t link;
} carried;

static int by_bits(const void *a, const void *b) {
    const carried *x = a, *y = b;
    if (x->bits < y->bits || x->bits > y->bits) return x->bits < y->bits ? 1 : -1;
    return (x->link > y->link) - (x->link < y->link);
}

static void put_counter(tracer *k, const carried *c, unsigned bin) {
    char link[200], number[40];
    double rate = bin < TIMELINE_BINS ? k->t->bits[c->link * TIMELINE_BINS + bin] : 0;
    bough_text *out = begin(k, 'C', LINKS, 0);
    bough_text_put(out, ",\"name\":");
    bough_text_put_json(out, bough_link_name(k->trial->run->point.net, c->link, link, sizeof link));
    put_us(out, "ts", bin * k->t->width);
    bough_text_printf(out, ",\"args\":{\"Gb/s\":%s}}",
                      bough_format_real(rate / (double)k->t->width * 1e3, number, sizeof number));
}

/* Bins with the same value as the one before are left out. */
static bough_status put_links(tracer *k, bough_error *error) {
    carried *all;
    uint64_t links = k->t->links;
    bough_status status = bough_alloc(&all, links, sizeof *all, error);
    if (status) return status;
    for (uint64_t l = 0; l < links; l++) {
        all[l].link = l;
        for (unsigned b = 0; b < TIMELINE_BINS; b++) all[l].bits += k->t->bits[l * TIMELINE_BINS + b];
    }
    qsort(all, links, sizeof *all, by_bits);
    name(k, LINKS, -1, "links, the most loaded first");
    for (uint64_t l = 0; l < links && l < LINKS_MAX && all[l].bits > 0 && !status; l++) {
        const double *bin = &k->t->bits[all[l].link * TIMELINE_BINS];
        for (unsigned b = 0; b <= TIMELINE_BINS; b++) {
            double now = b < TIMELINE_BINS ? bin[b] : 0, before = b ? bin[b - 1] : -1;
            if (now < before || now > before) put_counter(k, &all[l], b);
        }
        status = output_stream_flush(k->out, error);
    }
    free(all);
    return status;
}

/* ---- the critical path ---- */

static void put_part(tracer *k, const critical_part *p) {
    char link[200];
    bough_text *out = begin(k, 'X', PATH, 0);
    put_name(out, critical_cause_name[p->cause], critical_cause_name[p->cause], -1);
    put_span(out, p->from, p->to);
    put_args(out, k, p->op);
    bough_text_printf(out, ",\"rank\":%" PRIu32,
                      p->receiver ? k->s->op[p->op].peer : timeline_rank(k->s, p->op));
    if (p->link != TIMELINE_NONE && p->cause == CRITICAL_SHARING) {
        bough_text_put(out, ",\"link\":");
        bough_text_put_json(out, bough_link_name(k->trial->run->point.net, p->link, link, sizeof link));
    }
    bough_text_put(out, "}}");
}

static bough_status put_path(tracer *k, bough_error *error) {
    critical_path path = {0};
    bough_status status = critical_path_find(k->trial->w, k->t, &path, error);
    name(k, PATH, -1, "critical path");
    name(k, PATH, 0, "critical path");
    for (size_t i = path.parts; i-- > 0 && !status;) {
        put_part(k, &path.part[i]);
        status = output_stream_flush(k->out, error);
    }
    critical_path_fini(&path);
    return status;
}

/* ---- the whole ---- */

/* An operation has its span and a wait; a message also two arrows, its time in the network, and the same at
 * its receiver; the path has at most four parts for each operation, but rarely more than one. */
uint64_t timeline_trace_events(const recorded_trial *trial, const bough_timeline_request *r) {
    const bough_schedule *s = trial->s;
    uint32_t end = r->ranks ? r->first_rank + r->ranks : s->ranks;
    uint64_t events = bough_mul(LINKS_MAX, TIMELINE_BINS + 1);
    for (uint32_t o = s->first[r->ranks ? r->first_rank : 0]; o < s->first[end]; o++)
        events += s->op[o].kind == BOUGH_OP_CALC ? 2 : s->op[o].kind == BOUGH_OP_SEND ? 4 : 3;
    return events;
}

static void put_about(tracer *k) {
    const bough_point *p = &k->trial->run->point;
    bough_text *out = &k->out->text;
    bough_text_put(out, "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":\"bough\",\"network\":");
    bough_text_put_json(out, p->net->spec);
    bough_text_put(out, ",\"routing\":");
    bough_text_put_json(out, p->routing ? p->routing->spec : "");
    bough_text_put(out, ",\"traffic\":");
    bough_text_put_json(out, p->traffic->spec);
    bough_text_put(out, ",\"method\":");
    bough_text_put_json(out, k->trial->run->spec);
    bough_text_printf(out,
                      ",\"seed\":\"%" PRIu64 "\",\"trial\":\"0\",\"ranks\":\"%" PRIu32 "-%" PRIu32 "\"}}\n",
                      k->trial->seed, k->first, k->end - 1);
}

bough_status timeline_put_trace(const recorded_trial *trial, const bough_timeline_request *r,
                                output_stream *out, bough_error *error) {
    tracer k = {.trial = trial, .s = trial->s, .t = trial->t, .out = out, .end = trial->s->ranks};
    if (r->ranks) k.first = r->first_rank, k.end = r->first_rank + r->ranks;
    bough_text_put(&out->text, "{\"traceEvents\":[\n");
    bough_status status = put_ranks(&k, error);
    TRY(put_nics(&k, error));
    TRY(put_links(&k, error));
    TRY(put_path(&k, error));
    put_about(&k);
    return status;
}
