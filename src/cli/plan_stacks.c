#include "cli/plan_stacks.h"

#include "base/json/json_writer.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "document/narrow_table.h"
#include "document/text_table.h"
#include "fabric/plan/stack_plan.h"
#include "method/method.h"
#include "method/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The model is evaluated for sizes at which it is fast. */
#define SUCCESS_PROCESSORS (UINT64_C(1) << 16)

typedef struct plan {
    bough_stack_limits limits;
    bough_stack_design *design;
    size_t count, shown;
    uint64_t counts[BOUGH_STACK_VERDICTS];
} plan;

/* First attempts that succeed, fully loaded, with the locality of the paper: method `blocking`. */
static bough_status find_success(bough_stack_design *d, bough_error *error) {
    bough_point p = {0};
    bough_net *net = NULL;
    bough_routing *routing = NULL;
    bough_traffic *traffic = NULL;
    bough_run *run = NULL;
    bough_rows rows = {0};
    void *workspace = NULL;
    if (d->processors > SUCCESS_PROCESSORS) return BOUGH_OK;
    bough_status status = bough_net_create(d->spec, &net, error);
    TRY(bough_routing_create(net, NULL, &routing, error));
    TRY(bough_traffic_create(net, "local:p=1", &traffic, error));
    p = (bough_point){net, routing, traffic};
    TRY(bough_run_create("blocking", &p, &run, error));
    TRY(bough_run_trial(run, bough_key_make(1, 0), &workspace, &rows, error));
    if (!status) rows_find(&rows, BOUGH_METRIC_FIRST_SUCCESS, &d->success);
    bough_rows_fini(&rows);
    if (run) bough_run_free_workspace(run, workspace);
    bough_run_destroy(run);
    bough_traffic_destroy(traffic);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
    return status;
}

/* ---- output ---- */

static double per_processor(const bough_stack_design *d, uint64_t parts) {
    return (double)parts / (double)d->processors;
}

static void put_design(text_table *table, size_t i, const bough_stack_design *d) {
    text_table_add_number(table, 0, (double)(i + 1));
    text_table_add(table, d->pareto ? "*" : "");
    text_table_add(table, d->outer);
    text_table_add(table, *d->inner ? d->inner : "-");
    text_table_add_number(table, 0, d->dilation);
    text_table_add_number(table, 0, (double)d->processors);
    text_table_add_number(table, 0, (double)d->stacks);
    text_table_add_number(table, 4, per_processor(d, d->routers));
    text_table_add_number(table, 0, d->path);
    if (d->success > 0)
        text_table_add_number(table, 3, d->success);
    else
        text_table_add(table, "-");
    text_table_add_number(table, 3, d->side);
    text_table_add_number(table, 3, d->fill);
    text_table_add_number(table, 3, d->universality);
    text_table_end_row(table);
}

static void put_counts(const plan *p, bough_text *out) {
    static const char *const name[] = {"fit",     "pins", "height", "board", "whole unit trees",
                                       "squares", "fill"};
    bough_text line = {0};
    bough_text_put(&line, "designs: ");
    for (unsigned v = 0; v < BOUGH_STACK_VERDICTS; v++)
        bough_text_printf(&line, "%s%" PRIu64 " %s",
                          v == 1 ? "; excluded by "
                          : v    ? ", "
                                 : "",
                          p->counts[v], name[v]);
    put_wrapped_text(out, &line, cli_line_width());
}

static bough_status print_table(const plan *p, bough_error *error) {
    static const struct {
        const char *text;
        bool right;
    } heading[] = {{"", true},         {"", false},          {"outer", false}, {"inner", false},
                   {"dilation", true}, {"processors", true}, {"stacks", true}, {"routers", true},
                   {"path", true},     {"success", true},    {"side", true},   {"fill", true},
                   {"universal", true}};
    const bough_stack_limits *l = &p->limits;
    text_table table = {0};
    bough_text out = {0}, head = {0};
    bough_text_printf(
        &head,
        "at least %" PRIu64 " processors of %u ports; packages of %u pins, channels of %u wires, "
        "boards of %g in, stacks of %g in: %zu design%s",
        l->hosts, l->ports, l->pins, l->width, l->board, l->height, p->count, p->count == 1 ? "" : "s");
    put_wrapped_text(&out, &head, cli_line_width());
    bough_text_put(&out, "\n");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        text_table_head(&table, heading[i].text, heading[i].right);
    text_table_end_row(&table);
    for (size_t i = 0; i < p->shown; i++) put_design(&table, i, &p->design[i]);
    text_table_write(&table, &out);
    text_table_fini(&table);
    bough_text_put(&out, "\n");
    for (size_t i = 0; i < p->shown; i++)
        bough_text_printf(&out, "%zu  bough net %s\n", i + 1, p->design[i].spec);
    bough_text_put(&out, "\n*: Pareto-optimal in routers and stacks per processor, path and success\n");
    put_counts(p, &out);
    return cli_print_text(&out, error);
}

static bough_status print_json(const plan *p, bough_error *error) {
    static const char *const name[] = {"fit", "pins", "height", "board", "whole", "squares", "fill"};
    const bough_stack_limits *l = &p->limits;
    bough_text out = {0};
    json_writer w = {.out = &out};
    json_begin_document(&w);
    json_put_text(&w, "packaging", "transit");
    json_put_whole(&w, "hosts", (int64_t)l->hosts);
    json_put_whole(&w, "ports", l->ports);
    json_put_whole(&w, "pins", l->pins);
    json_put_whole(&w, "width", l->width);
    json_put_real(&w, "board", l->board);
    json_put_real(&w, "pitch", l->pitch);
    json_put_real(&w, "height", l->height);
    json_put_real(&w, "layer", l->layer);
    json_put_real(&w, "fill", l->fill);
    json_begin_object(&w, "counts", true);
    for (unsigned v = 0; v < BOUGH_STACK_VERDICTS; v++) json_put_whole(&w, name[v], (int64_t)p->counts[v]);
    json_end_object(&w);
    json_put_whole(&w, "found", (int64_t)p->count);
    json_begin_array(&w, "designs", false);
    for (size_t i = 0; i < p->shown; i++) {
        const bough_stack_design *d = &p->design[i];
        json_begin_object(&w, NULL, true);
        json_put_text(&w, "spec", d->spec);
        json_put_text(&w, "outer", d->outer);
        json_put_text(&w, "inner", *d->inner ? d->inner : NULL);
        json_put_whole(&w, "radix", d->radix);
        json_put_whole(&w, "dilation", d->dilation);
        json_put_whole(&w, "levels", d->levels);
        json_put_whole(&w, "processors", (int64_t)d->processors);
        json_put_whole(&w, "routers", (int64_t)d->routers);
        json_put_whole(&w, "stacks", (int64_t)d->stacks);
        json_put_whole(&w, "path", d->path);
        json_put_whole(&w, "layers", d->layers);
        json_put_real(&w, "side", d->side);
        json_put_real(&w, "fill", d->fill);
        json_put_real(&w, "universality", d->universality);
        json_put_real(&w, "success", d->success > 0 ? d->success : NAN);
        json_put_flag(&w, "pareto", d->pareto);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_document(&w);
    return cli_print_text(&out, error);
}

bough_status plan_stacks(const bough_stack_limits *limits, uint64_t limit, bool json, bough_error *error) {
    plan p = {.limits = *limits};
    bough_status status = bough_stack_plan(limits, &p.design, &p.count, p.counts, error);
    if (!limit) limit = 16;
    p.shown = p.count < limit ? p.count : (size_t)limit;
    for (size_t i = 0; i < p.shown && !status; i++) {
        cli_on_progress(NULL, (double)i / (double)p.shown, "success");
        status = find_success(&p.design[i], error);
    }
    if (!status) bough_stack_plan_mark(p.design, p.shown);
    TRY((json ? print_json : print_table)(&p, error));
    free(p.design);
    return status;
}
