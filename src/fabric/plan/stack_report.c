/* What a plan of routers in stacks says. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "document/columns.h"
#include "document/document.h"
#include "fabric/plan/plan_report.h"
#include "method/method.h"
#include "method/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The model is evaluated for sizes at which it is fast. */
#define SUCCESS_PROCESSORS (UINT64_C(1) << 16)

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

bough_status bough_stack_report_find(const bough_stack_limits *limits, uint64_t limit,
                                     void (*progress)(void *context, double share, const char *what),
                                     bough_stack_report *report, bough_error *error) {
    bough_stack_design *design = NULL;
    *report = (bough_stack_report){.limits = *limits};
    bough_status status = bough_stack_plan(limits, &design, &report->found, report->counts, error);
    if (!limit) limit = 16;
    const size_t shown = report->found < limit ? report->found : (size_t)limit;
    TRY(bough_alloc(&report->row, shown, sizeof *report->row, error));
    for (size_t i = 0; i < shown && !status; i++) {
        if (progress) progress(NULL, (double)i / (double)shown, "success");
        status = find_success(&design[i], error);
    }
    if (!status) bough_stack_plan_mark(design, shown);
    for (size_t i = 0; i < shown && !status; i++) {
        bough_stack_row *row = &report->row[report->rows++];
        *row = (bough_stack_row){
            .number = i + 1,
            .design = design[i],
            .routers_each = (double)design[i].routers / (double)design[i].processors,
        };
        if (!(row->design.success > 0)) row->design.success = NAN;
    }
    free(design);
    return status;
}

#define OF_DESIGN(member) offsetof(bough_stack_row, design.member)

static const row_column columns[] = {
    {"number", "design", COLUMN_WHOLE, offsetof(bough_stack_row, number), .in = IN_TEXT},
    {"front", "", COLUMN_FLAG, OF_DESIGN(pareto), .in = IN_TEXT},
    {"spec", NULL, COLUMN_TEXT, OF_DESIGN(spec), .in = IN_JSON},
    {"outer", "outer", COLUMN_TEXT, OF_DESIGN(outer), .in = IN_TEXT | IN_JSON},
    {"inner", "inner", COLUMN_TEXT, OF_DESIGN(inner), .in = IN_TEXT | IN_JSON},
    {"radix", NULL, COLUMN_SMALL, OF_DESIGN(radix), .in = IN_JSON},
    {"dilation", "dilation", COLUMN_SMALL, OF_DESIGN(dilation), .in = IN_TEXT | IN_JSON},
    {"levels", NULL, COLUMN_SMALL, OF_DESIGN(levels), .in = IN_JSON},
    {"processors", "processors", COLUMN_WHOLE, OF_DESIGN(processors), .in = IN_TEXT | IN_JSON},
    {"routers", NULL, COLUMN_WHOLE, OF_DESIGN(routers), .in = IN_JSON},
    {"routers_each", "routers", COLUMN_REAL, offsetof(bough_stack_row, routers_each), 4, IN_TEXT},
    {"stacks", "stacks", COLUMN_WHOLE, OF_DESIGN(stacks), .in = IN_TEXT | IN_JSON},
    {"path", "path", COLUMN_SMALL, OF_DESIGN(path), .in = IN_TEXT | IN_JSON},
    {"layers", NULL, COLUMN_SMALL, OF_DESIGN(layers), .in = IN_JSON},
    {"side", "side", COLUMN_REAL, OF_DESIGN(side), 3, IN_TEXT | IN_JSON},
    {"fill", "fill", COLUMN_REAL, OF_DESIGN(fill), 3, IN_TEXT | IN_JSON},
    {"universality", "universal", COLUMN_REAL, OF_DESIGN(universality), 3, IN_TEXT | IN_JSON},
    {"success", "success", COLUMN_REAL, OF_DESIGN(success), 3, IN_TEXT | IN_JSON},
    {"pareto", NULL, COLUMN_FLAG, OF_DESIGN(pareto), .in = IN_JSON},
};
static const row_columns list = {columns, sizeof columns / sizeof *columns, sizeof(bough_stack_row), false};

/* The limits that exclude designs: in JSON, and in words. */
static const char *const verdicts[BOUGH_STACK_VERDICTS][2] = {
    {"fit", "fit"},
    {"pins", "pins"},
    {"height", "height"},
    {"board", "board"},
    {"whole", "whole unit trees"},
    {"squares", "squares"},
    {"fill", "fill"},
};

static void put_counts(document *d, const bough_stack_report *r) {
    document_begin(d, DOCUMENT_LINE, NULL);
    document_put(d, "designs: ");
    for (unsigned v = 0; v < BOUGH_STACK_VERDICTS; v++)
        document_put(d, "%s%" PRIu64 " %s",
                     v == 1 ? "; excluded by "
                     : v    ? ", "
                            : "",
                     r->counts[v], verdicts[v][1]);
    document_end(d);
}

void bough_stack_report_text(const bough_stack_report *r, size_t width, bough_text *out) {
    document d = {0};
    text_table table = {.labels = 2};
    char command[128];
    const bough_stack_limits *l = &r->limits;
    document_section(&d, "summary", "Summary");
    document_line(&d,
                  "at least %" PRIu64 " processors of %u ports; packages of %u pins, channels of %u wires, "
                  "boards of %g in, stacks of %g in: %zu design%s",
                  l->hosts, l->ports, l->pins, l->width, l->board, l->height, r->found,
                  r->found == 1 ? "" : "s");
    columns_head(&list, &table);
    text_table_end_row(&table);
    for (size_t i = 0; i < r->rows; i++) {
        columns_row(&list, &r->row[i], &table);
        text_table_end_row(&table);
    }
    document_section(&d, "designs", "Designs");
    document_table(&d, &table, "Designs");
    document_note(&d,
                  "outer, inner: stacks at the processors and above; routers: per processor; path: routers "
                  "on the longest one; side: inches; success: share of first attempts, all processors "
                  "sending; *: Pareto-optimal in routers and stacks per processor, path and success");
    put_counts(&d, r);
    document_section(&d, "specs", "Networks");
    for (size_t i = 0; i < r->rows; i++) {
        char label[32];
        snprintf(label, sizeof label, "design %" PRIu64, r->row[i].number);
        document_fact(&d, label, "%s", r->row[i].design.spec);
    }
    snprintf(command, sizeof command, "bough net %s", r->row[0].design.spec);
    document_section(&d, "next", "Next");
    document_command(&d, command, "describes the network of design 1");
    document_write_text(&d, &(document_text_options){.width = width}, out);
    document_fini(&d);
}

void bough_stack_report_json(const bough_stack_report *r, bough_text *out) {
    const bough_stack_limits *l = &r->limits;
    json_writer w = {.out = out};
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
    for (unsigned v = 0; v < BOUGH_STACK_VERDICTS; v++)
        json_put_whole(&w, verdicts[v][0], (int64_t)r->counts[v]);
    json_end_object(&w);
    json_put_whole(&w, "found", (int64_t)r->found);
    json_begin_array(&w, "designs", false);
    for (size_t i = 0; i < r->rows; i++) {
        json_begin_object(&w, NULL, true);
        columns_json(&list, &r->row[i], &w);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_document(&w);
}
