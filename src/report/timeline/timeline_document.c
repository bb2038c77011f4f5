#include "report/timeline/timeline_document.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "method/quantity.h"
#include "traffic/schedules/ranks.h"
#include "traffic/timeline/exposed_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *timeline_time_text(double picoseconds, char text[TIMELINE_TIME_TEXT]) {
    char number[QUANTITY_TEXT];
    double seconds = picoseconds / 1e12;
    quantity_unit unit = quantity_unit_of(BOUGH_METRIC_COMPLETION_TIME, seconds);
    snprintf(text, TIMELINE_TIME_TEXT, "%s %s", quantity_format(seconds * unit.factor, 0, number), unit.name);
    return text;
}

/* What tables show of a label: times of all ranks, ps. */
typedef struct label_times {
    ranks_sum compute, overhead;
    uint64_t path;
} label_times;

typedef struct sums {
    label_times label[RANKS_LABELS];
    uint64_t exposed[RANKS_LABELS];
    uint64_t cause[CRITICAL_CAUSES];
} sums;

static void add_up(const recorded_trial *trial, const critical_path *path, sums *sum) {
    for (uint32_t o = 0; o < trial->s->ops; o++) {
        const timeline_op *p = &trial->t->op[o];
        const bough_op *op = &trial->s->op[o];
        label_times *l = &sum->label[op->label];
        if (p->free != BOUGH_NONE)
            *(op->kind == BOUGH_OP_CALC ? &l->compute : &l->overhead) += p->free - p->start;
        if (op->kind == BOUGH_OP_SEND && p->taken != BOUGH_NONE) l->overhead += p->done - p->taken;
    }
    for (size_t i = 0; i < path->parts; i++) {
        const critical_part *p = &path->part[i];
        sum->cause[p->cause] += p->to - p->from;
        sum->label[trial->s->op[p->op].label].path += p->to - p->from;
    }
}

/* ---- the path by cause ---- */

static void put_causes(document *d, const sums *sum, uint64_t end) {
    static const char *const title[] = {"computation", "CPU time for messages",
                                        "messages, as on an idle network", "time lost to other messages"};
    char text[TIMELINE_TIME_TEXT], value[TIMELINE_TIME_TEXT + 16];
    for (int i = 0; i < CRITICAL_CAUSES; i++) {
        double share = end ? (double)sum->cause[i] / (double)end : 0;
        snprintf(value, sizeof value, "%s, %.0f %%", timeline_time_text((double)sum->cause[i], text),
                 100 * share);
        document_bar(d, "The critical path: what the end waits for", title[i], share, value);
    }
}

/* ---- by label ---- */

static void add_time(text_table *t, double picoseconds) {
    char text[TIMELINE_TIME_TEXT];
    text_table_add(t, picoseconds > 0 ? timeline_time_text(picoseconds, text) : "0");
}

static void put_labels(document *d, const recorded_trial *trial, const sums *sum) {
    text_table t = {0};
    double ranks = trial->s->ranks;
    text_table_head(&t, "label", false);
    text_table_head(&t, "computation", true);
    text_table_head(&t, "CPU time for messages", true);
    text_table_head(&t, "exposed communication", true);
    text_table_head(&t, "on the critical path", true);
    text_table_end_row(&t);
    for (unsigned l = 0; trial->s->labels[l]; l++) {
        const label_times *time = &sum->label[l];
        if (!time->compute && !time->overhead && !time->path && !sum->exposed[l]) continue;
        text_table_add(&t, l ? trial->s->labels[l] : trial->s->labels[1] ? "the rest" : "all");
        add_time(&t, (double)time->compute / ranks);
        add_time(&t, (double)time->overhead / ranks);
        add_time(&t, (double)sum->exposed[l] / ranks);
        add_time(&t, (double)time->path);
        text_table_end_row(&t);
    }
    document_table(d, &t, "Times by label");
    document_note(d,
                  "Means over the ranks, but for the critical path. Exposed communication: a rank computes "
                  "nothing while its sends or receives go on.");
}

/* ---- parts of the path ---- */

enum { PARTS_SHOWN = 25 };

static int by_length(const void *a, const void *b) {
    const critical_part *x = a, *y = b;
    uint64_t of_x = x->to - x->from, of_y = y->to - y->from;
    if (of_x != of_y) return of_x < of_y ? 1 : -1;
    return (x->from > y->from) - (x->from < y->from);
}

static void add_part(text_table *t, const recorded_trial *trial, const critical_part *p) {
    char text[240], name[200];
    const bough_op *op = &trial->s->op[p->op];
    uint32_t rank = timeline_rank(trial->s, p->op);
    add_time(t, (double)(p->to - p->from));
    add_time(t, (double)p->from);
    text_table_add(t, critical_cause_name[p->cause]);
    if (op->kind == BOUGH_OP_CALC || p->cause == CRITICAL_OVERHEAD)
        snprintf(text, sizeof text, "rank %" PRIu32, p->receiver ? op->peer : rank);
    else
        snprintf(text, sizeof text, "rank %" PRIu32 " to %" PRIu32, rank, op->peer);
    text_table_add(t, text);
    *text = 0;
    if (op->kind != BOUGH_OP_CALC) snprintf(text, sizeof text, "%" PRIu64, op->size);
    text_table_add(t, text);
    text_table_add(t, trial->s->labels[op->label]);
    bool link = p->cause == CRITICAL_SHARING && p->link != TIMELINE_NONE;
    text_table_add(t, link ? bough_link_name(trial->run->point.net, p->link, name, sizeof name) : "");
    text_table_end_row(t);
}

/* Sorts the path. */
static void put_parts(document *d, const recorded_trial *trial, critical_path *path) {
    static const char *const head[] = {
        "takes", "from", "what", "where", "bytes", "label", "most lost on link"};
    text_table t = {0};
    qsort(path->part, path->parts, sizeof *path->part, by_length);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) text_table_head(&t, head[i], i < 2 || i == 4);
    text_table_end_row(&t);
    for (size_t i = 0; i < path->parts && i < PARTS_SHOWN; i++) add_part(&t, trial, &path->part[i]);
    document_heading(d, "", "The longest parts of the critical path");
    document_table(d, &t, "The longest parts of the critical path");
    if (path->parts > PARTS_SHOWN)
        document_note(d, "%zu shorter part%s %s left out; --trace writes all.", path->parts - PARTS_SHOWN,
                      bough_s(path->parts - PARTS_SHOWN), (path->parts - PARTS_SHOWN) == 1 ? "is" : "are");
}

/* ---- the whole ---- */

static uint64_t last_end(const recorded_trial *trial) {
    uint64_t end = 0;
    for (uint32_t o = 0; o < trial->s->ops; o++)
        if (trial->t->op[o].end != BOUGH_NONE && trial->t->op[o].end > end) end = trial->t->op[o].end;
    return end;
}

bough_status timeline_describe(document *d, const recorded_trial *trial, bough_error *error) {
    critical_path path = {0};
    sums *sum;
    char text[TIMELINE_TIME_TEXT];
    uint64_t end = last_end(trial);
    bough_status status = bough_alloc(&sum, 1, sizeof *sum, error);
    TRY(critical_path_find(trial->w, trial->t, &path, error));
    TRY(exposed_time_add(trial->s, trial->t, sum->exposed, error));
    if (!status) {
        add_up(trial, &path, sum);
        document_section(d, "time", "Where the time goes");
        document_line(d, "%s, seed %" PRIu64 ", trial 0: %" PRIu32 " rank%s %s after %s.", trial->run->spec,
                      trial->seed, trial->s->ranks, bough_s(trial->s->ranks),
                      trial->s->ranks == 1 ? "ends" : "end", timeline_time_text((double)end, text));
        put_causes(d, sum, end);
        if (end) status = timeline_draw(d, trial, &path, end, error);
        d->details = true;
        document_section(d, "labels", "By label, and the longest parts");
        put_labels(d, trial, sum);
        put_parts(d, trial, &path);
        d->details = false;
    }
    critical_path_fini(&path);
    free(sum);
    return status;
}
