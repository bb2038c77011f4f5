#include "searches/hard_sets/set_search.h"

#include "base/files/output.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "method/rows.h"
#include "traffic/lists/message_csv.h"
#include "traffic/patterns/batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLIMBS = 3 }; /* from different starts */

/* ---- one set ---- */

/* The set as traffic, of a kind that only this file knows. */
typedef struct set_kind {
    bough_traffic_kind kind; /* first */
    const message_set *set;
} set_kind;

static bough_status bind_set(bough_args *args, const bough_net *net, bough_traffic *traffic,
                             bough_error *error) {
    (void)args;
    const message_set *s = ((const set_kind *)traffic->kind)->set;
    uint64_t *wide;
    bough_status status = bough_alloc(&wide, bough_mul(s->count, 2), sizeof *wide, error);
    if (status) return status;
    for (uint64_t i = 0; i < s->count; i++) {
        wide[i] = s->source[i];
        wide[s->count + i] = s->destination[i];
    }
    status = messages_take(&(unsized_messages){wide, wide + s->count, s->count}, net, traffic, error);
    free(wide);
    return status;
}

static bough_status make_traffic(set_kind *kind, const bough_net *net, const message_set *set,
                                 bough_traffic **traffic, bough_error *error) {
    static const bough_param none[] = {BOUGH_PARAMS_END};
    *kind = (set_kind){bough_traffic_messages, set};
    kind->kind.name = "searched";
    kind->kind.params = none;
    kind->kind.bind = bind_set;
    return bough_traffic_make(net, &kind->kind, &(bough_spec){.name = (char[]){"searched"}}, traffic, error);
}

/* The value of a metric in one trial of a method. */
static bough_status measure(const set_search *search, const bough_traffic *traffic, const set_objective *of,
                            double *value, bough_error *error) {
    bough_point point = search->point;
    bough_run *run = NULL;
    bough_rows rows = {0};
    void *workspace = NULL;
    point.traffic = traffic;
    bough_status status = bough_run_create(of->method, &point, &run, error);
    if (status) return status;
    run->stop = search->run ? search->run->stop : NULL;
    run->rehearsal = true; /* it writes no files */
    status = bough_run_trial(run, search->key, &workspace, &rows, error);
    if (!status && !rows_find(&rows, of->maximise, value))
        status = bough_fail(error, BOUGH_INVALID, NULL, "%s does not report %s here", run->spec,
                            bough_metrics[of->maximise].name);
    bough_rows_fini(&rows);
    if (workspace) bough_run_free_workspace(run, workspace);
    bough_run_destroy(run);
    return status;
}

static bough_status evaluate(const set_search *search, set_found *f, bough_error *error) {
    const set_objective per = {"linkload", search->objective.per, BOUGH_METRIC_COUNT};
    set_kind kind;
    bough_traffic *traffic = NULL;
    double over = 1;
    bough_status status = make_traffic(&kind, search->point.net, &f->set, &traffic, error);
    TRY(measure(search, traffic, &search->objective, &f->maximised, error));
    if (per.maximise != BOUGH_METRIC_COUNT) TRY(measure(search, traffic, &per, &over, error));
    bough_traffic_destroy(traffic);
    f->value = over > 0 ? f->maximised / over : 0;
    return status;
}

/* ---- the search ---- */

typedef struct climbs {
    set_found best[CLIMBS]; /* in descending order of value */
    set_found trial;        /* the set at hand */
} climbs;

void set_found_fini(set_found *f) {
    message_set_fini(&f->set);
}

static void copy_found(const set_found *from, set_found *to) {
    message_set set = to->set;
    message_set_copy(&from->set, &set);
    *to = *from;
    to->set = set;
}

/* Puts the trial among the best, unless one of them has its value (patterns often coincide). */
static void keep_start(climbs *c) {
    unsigned at = CLIMBS;
    while (at > 0 && c->trial.value > c->best[at - 1].value) at--;
    if (at == CLIMBS || (at > 0 && c->trial.value == c->best[at - 1].value)) return;
    for (unsigned i = CLIMBS - 1; i > at; i--) copy_found(&c->best[i - 1], &c->best[i]);
    copy_found(&c->trial, &c->best[at]);
}

static bough_status try_starts(const set_search *search, climbs *c, uint64_t *tried, bough_error *error) {
    set_start start = {.key = search->key};
    bough_status status = BOUGH_OK;
    for (; message_set_start(search->point.net, &start, &c->trial.set) && !status; start.number++) {
        if (start.no_memory) return bough_fail_memory(error, c->trial.set.count);
        if (c->trial.set.count == 0) continue;
        snprintf(c->trial.start, sizeof c->trial.start, "%s", start.name);
        status = evaluate(search, &c->trial, error);
        ++*tried;
        if (!status) keep_start(c);
    }
    return status;
}

/* Changes the set for `sets` trials and keeps what is not easier. */
static bough_status climb(const set_search *search, climbs *c, unsigned which, uint64_t sets,
                          bough_error *error) {
    set_found *best = &c->best[which];
    bough_stream draw = bough_stream_make(search->key, BOUGH_DRAW_SAMPLE, which, 0);
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < sets && best->set.count > 0 && !status; i++) {
        copy_found(best, &c->trial);
        message_set_change(&c->trial.set, &draw);
        if (c->trial.set.count == 0) continue;
        status = evaluate(search, &c->trial, error);
        if (!status && c->trial.value >= best->value) copy_found(&c->trial, best);
        if (search->run && search->run->progress)
            search->run->progress(search->run->progress_context,
                                  ((double)which * (double)sets + (double)i) / (CLIMBS * (double)sets));
    }
    return status;
}

static bough_status search_all(const set_search *search, climbs *c, set_found *found, bough_error *error) {
    uint64_t tried = 0;
    unsigned worst = 0;
    bough_status status = try_starts(search, c, &tried, error);
    uint64_t each = search->sets > tried ? (search->sets - tried) / CLIMBS : 0;
    for (unsigned i = 0; i < CLIMBS && !status; i++) {
        status = climb(search, c, i, each, error);
        tried += c->best[i].set.count ? each : 0;
        if (c->best[i].value > c->best[worst].value) worst = i;
    }
    if (status) return status;
    copy_found(&c->best[worst], found);
    found->tried = tried;
    return BOUGH_OK;
}

bough_status set_search_run(const set_search *search, set_found *found, bough_error *error) {
    climbs c = {0};
    uint64_t endpoints = search->point.net->endpoints;
    *found = (set_found){0};
    bough_status status = message_set_make(endpoints, search->degree, &found->set, error);
    TRY(message_set_make(endpoints, search->degree, &c.trial.set, error));
    for (unsigned i = 0; i < CLIMBS; i++)
        TRY(message_set_make(endpoints, search->degree, &c.best[i].set, error));
    TRY(search_all(search, &c, found, error));
    for (unsigned i = 0; i < CLIMBS; i++) set_found_fini(&c.best[i]);
    set_found_fini(&c.trial);
    return status;
}

bough_status set_search_bytes(const set_search *search, uint64_t *bytes, bough_error *error) {
    char spec[48];
    bough_point point = search->point;
    bough_traffic *traffic = NULL;
    bough_run *run = NULL;
    snprintf(spec, sizeof spec, "hrelation:h=%" PRIu64, search->degree);
    bough_status status = bough_traffic_create(point.net, spec, &traffic, error);
    point.traffic = traffic;
    TRY(bough_run_create(search->objective.method, &point, &run, error));
    uint64_t set = bough_mul(bough_mul(point.net->endpoints, search->degree), 8);
    *bytes = bough_add(run ? run->bytes : 0, bough_mul(set, CLIMBS + 5));
    bough_run_destroy(run);
    bough_traffic_destroy(traffic);
    return status;
}

bough_status set_write(const message_set *s, const char *path, const char *comment, bough_error *error) {
    bough_text text = {0};
    bough_text_printf(&text, "# %s\nsource,destination\n", comment);
    for (uint64_t i = 0; i < s->count; i++)
        bough_text_printf(&text, "%" PRIu32 ",%" PRIu32 "\n", s->source[i], s->destination[i]);
    bough_status status = bough_output_write_text(path, &text, error);
    bough_text_fini(&text);
    return status;
}
