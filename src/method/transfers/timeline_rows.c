#include "method/transfers/timeline_rows.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/engine.h"
#include "method/rows.h"
#include "method/transfers/schedule_rows.h"
#include "traffic/timeline/critical_path.h"
#include "traffic/timeline/exposed_time.h"

#include <stdlib.h>

bough_status timeline_rows_open(bough_run *run, bool critical, bough_error *error) {
    const bough_workload *w = run->point.traffic->workload;
    if (!critical) return BOUGH_OK;
    if (!w)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "%s: critical=1 needs a schedule of ranks; %s is not one", run->method->name,
                          run->point.traffic->spec);
    run->bytes = bough_add(run->bytes, timeline_bytes(w->schedule, 0));
    return BOUGH_OK;
}

bough_status timeline_rows_begin(const bough_run *run, bool critical, timeline **out, bough_error *error) {
    *out = run->timeline;
    return !*out && critical ? timeline_make(run->point.traffic->workload->schedule, 0, out, error)
                             : BOUGH_OK;
}

void timeline_rows_end(const bough_run *run, timeline *t) {
    if (t != run->timeline) timeline_destroy(t);
}

/* ---- rows ---- */

typedef struct link_time {
    uint64_t link, time;
} link_time;

static int by_link(const void *a, const void *b) {
    const link_time *x = a, *y = b;
    return (x->link > y->link) - (x->link < y->link);
}

static int by_time(const void *a, const void *b) {
    const link_time *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? 1 : -1;
    return by_link(a, b);
}

static double seconds(uint64_t picoseconds) {
    return schedule_seconds(picoseconds);
}

/* The links where the path lost most. */
static bough_status add_links(const bough_net *net, const critical_path *p, bough_rows *rows,
                              bough_error *error) {
    link_time *lost;
    size_t count = 0, kept = 0;
    bough_status status = bough_alloc(&lost, p->parts, sizeof *lost, error);
    if (status) return status;
    for (size_t i = 0; i < p->parts; i++)
        if (p->part[i].cause == CRITICAL_SHARING && p->part[i].link != TIMELINE_NONE)
            lost[count++] = (link_time){p->part[i].link, p->part[i].to - p->part[i].from};
    qsort(lost, count, sizeof *lost, by_link);
    for (size_t i = 0; i < count; i++) {
        if (kept && lost[kept - 1].link == lost[i].link)
            lost[kept - 1].time += lost[i].time;
        else
            lost[kept++] = lost[i];
    }
    qsort(lost, kept, sizeof *lost, by_time);
    for (size_t i = 0; i < kept && i < SIM_HOT && !status; i++) {
        status = bough_rows_add(rows, BOUGH_METRIC_CRITICAL_LINK, (int64_t)lost[i].link,
                                seconds(lost[i].time), error);
        sim_name_links(net, &lost[i].link, 1, rows->note);
    }
    free(lost);
    return status;
}

static bough_status add_path(const bough_schedule *s, const critical_path *p, bough_rows *rows,
                             bough_error *error) {
    uint64_t cause[CRITICAL_CAUSES] = {0}, label[RANKS_LABELS] = {0};
    for (size_t i = 0; i < p->parts; i++) {
        cause[p->part[i].cause] += p->part[i].to - p->part[i].from;
        label[s->op[p->part[i].op].label] += p->part[i].to - p->part[i].from;
    }
    const optional_row lines[] = {
        {true, BOUGH_METRIC_CRITICAL_COMPUTE, seconds(cause[CRITICAL_COMPUTE])},
        {true, BOUGH_METRIC_CRITICAL_OVERHEAD, seconds(cause[CRITICAL_OVERHEAD])},
        {true, BOUGH_METRIC_CRITICAL_TRANSFER, seconds(cause[CRITICAL_TRANSFER])},
        {true, BOUGH_METRIC_CRITICAL_SHARING, seconds(cause[CRITICAL_SHARING])},
    };
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    for (int64_t l = 0; s->labels[1] && s->labels[l] && !status; l++)
        if (label[l]) status = bough_rows_add(rows, BOUGH_METRIC_CRITICAL_LABEL, l, seconds(label[l]), error);
    return status;
}

static bough_status add_exposed(const bough_schedule *s, const timeline *t, bough_rows *rows,
                                bough_error *error) {
    uint64_t label[RANKS_LABELS] = {0};
    ranks_sum all = 0;
    bough_status status = exposed_time_add(s, t, label, error);
    if (status) return status;
    for (unsigned l = 0; l < RANKS_LABELS; l++) all += label[l];
    status = bough_rows_add(rows, BOUGH_METRIC_EXPOSED_COMMUNICATION, BOUGH_NO_ROW_INDEX,
                            schedule_share(all, bough_schedule_hosts(s)), error);
    for (int64_t l = 0; s->labels[1] && s->labels[l] && !status; l++)
        if (label[l])
            status = bough_rows_add(rows, BOUGH_METRIC_LABEL_EXPOSED, l,
                                    schedule_share(label[l], bough_schedule_hosts(s)), error);
    return status;
}

bough_status timeline_rows_add(const bough_run *run, const timeline *t, bool ends, bough_rows *rows,
                               bough_error *error) {
    if (!t || !ends || t == run->timeline) return BOUGH_OK;
    const bough_workload *w = run->point.traffic->workload;
    critical_path path = {0};
    bough_status status = critical_path_find(w, t, &path, error);
    TRY(add_path(w->schedule, &path, rows, error));
    TRY(add_links(run->point.net, &path, rows, error));
    TRY(add_exposed(w->schedule, t, rows, error));
    critical_path_fini(&path);
    return status;
}
