/* The method `hardest`: a search for message sets on which another method does badly. */
#include "base/files/output.h"
#include "base/status/try.h"
#include "method/method_run.h"
#include "method/rows.h"
#include "searches/hard_sets/set_search.h"
#include "searches/search_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { P_METHOD, P_METRIC, P_PER, P_SETS, P_DEGREE, P_OUT };

static const bough_param params[] = {
    [P_METHOD] = {"method", "the method that evaluates a set, quoted if its spec contains commas", BOUGH_TEXT,
                  NULL, .echo = true},
    [P_METRIC] = {"metric", "what is maximised; default: the headline of the method", BOUGH_TEXT, "",
                  .echo = true},
    [P_PER] = {"per", "a property of the set (method linkload) by which that is divided", BOUGH_CHOICE,
               "none", .choices = "none|eta|load_factor|degree|link_load_max", .echo = true},
    [P_SETS] = {"sets",
                "sets to evaluate; about 40 are patterns, the others random changes of the worst of these",
                BOUGH_INT, "1000", 1, 1e9},
    [P_DEGREE] = {"degree", "the most messages that an endpoint sends, or receives", BOUGH_INT, "1", 1,
                  0x1p20, .echo = true},
    [P_OUT] = {"out", "write the set to this file, for messages:FILE; a forecast does not write it",
               BOUGH_TEXT, "", .output = true},
    BOUGH_PARAMS_END,
};

static bough_status find_metric(const bough_run *run, bough_metric_id *metric, bough_error *error) {
    const bough_value *name = &run->args.value[P_METRIC];
    const char *method = run->args.value[P_METHOD].text;
    *metric = name->set ? bough_metric_find(name->text) : BOUGH_METRIC_COUNT;
    if (name->set && *metric == BOUGH_METRIC_COUNT)
        return bough_fail(error, BOUGH_INVALID, NULL, "hardest: no metric '%s'; see `bough list metrics`",
                          name->text);
    if (name->set) return BOUGH_OK;
    const bough_method *m = bough_method_find(run->point.net->registry, method, strcspn(method, ":"));
    if (m) *metric = m->headline;
    return BOUGH_OK; /* an unknown method is refused when it is bound */
}

static bough_status make_search(const bough_run *run, set_search *search, bough_error *error) {
    bough_metric_id metric;
    bough_status status = find_metric(run, &metric, error);
    const bough_value *value = run->args.value;
    *search = (set_search){
        .point = run->point,
        .objective = {value[P_METHOD].text, metric,
                      value[P_PER].integer ? bough_metric_find(value[P_PER].text) : BOUGH_METRIC_COUNT},
        .degree = (uint64_t)value[P_DEGREE].integer,
        .sets = (uint64_t)value[P_SETS].integer,
        .run = run,
    };
    return status;
}

static bough_status hardest_open(bough_run *run, bough_error *error) {
    set_search search;
    const bough_value *out = &run->args.value[P_OUT];
    bough_status status = make_search(run, &search, error);
    TRY(set_search_bytes(&search, &run->bytes, error));
    if (!status && out->set) status = bough_output_check(out->text, error);
    run->draws = true;
    return status;
}

static bough_status report(const bough_run *run, const set_search *search, const set_found *f,
                           bough_rows *rows, bough_error *error) {
    const bough_value *value = run->args.value;
    char comment[200];
    const optional_row lines[] = {
        {true, BOUGH_METRIC_HARDEST, f->value},
        {true, search->objective.maximise, f->maximised},
        {true, BOUGH_METRIC_SETS, (double)f->tried},
        {true, BOUGH_METRIC_MESSAGES, (double)f->set.count},
    };
    snprintf(comment, sizeof comment, "%s%s%s = %.6g in %s on %s; from %s",
             bough_metrics[search->objective.maximise].name, value[P_PER].integer ? " / " : "",
             value[P_PER].integer ? value[P_PER].text : "", f->value, value[P_METHOD].text,
             run->point.net->spec, f->start);
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    rows_note_append(rows, "found from %s", f->start);
    if (value[P_OUT].set && !run->rehearsal) TRY(set_write(&f->set, value[P_OUT].text, comment, error));
    return status;
}

static bough_status hardest_trial(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                  bough_error *error) {
    (void)workspace;
    set_search search;
    set_found found = {0};
    bough_status status = make_search(run, &search, error);
    search.key = key;
    TRY(set_search_run(&search, &found, error));
    TRY(report(run, &search, &found, rows, error));
    set_found_fini(&found);
    return status;
}

const bough_method bough_method_hardest = {
    .name = "hardest",
    .summary = "a search for message sets on which another method does badly; the worst is kept",
    .source = "bay1991, Proposition 1",
    .params = params,
    .headline = BOUGH_METRIC_HARDEST,
    .assumes = BOUGH_ASSUMES_ONE_SIZE,
    .open = hardest_open,
    .trial = hardest_trial,
};
