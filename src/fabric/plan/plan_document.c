/* What a plan says. */
#include "base/text/escape.h"
#include "document/columns.h"
#include "document/document.h"
#include "fabric/plan/plan_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OF_TREE(member) offsetof(bough_plan_row, tree.member)

static const row_column network_columns[] = {
    {"number", "tree", COLUMN_WHOLE, offsetof(bough_plan_row, number), .in = IN_TEXT},
    {"front", "", COLUMN_FLAG, offsetof(bough_plan_row, time.pareto), .in = IN_TEXT},
    {"network", NULL, COLUMN_TEXT, OF_TREE(spec), .in = IN_CSV},
    {"spec", NULL, COLUMN_TEXT, OF_TREE(spec), .in = IN_JSON},
    {"endpoints", NULL, COLUMN_WHOLE, OF_TREE(endpoints), .in = IN_JSON},
    {"switches", "switches", COLUMN_WHOLE, OF_TREE(switches), .in = IN_ALL},
    {"cables", "cables", COLUMN_WHOLE, OF_TREE(cables), .in = IN_ALL},
    {"levels", "levels", COLUMN_SMALL, OF_TREE(levels), .in = IN_TEXT | IN_JSON},
};

enum { COST = 3 };
static const row_column tree_columns[] = {
    {"free_ports", "free", COLUMN_WHOLE, OF_TREE(free_ports), .in = IN_ALL},
    {"taper", "taper", COLUMN_REAL, OF_TREE(taper), 3, IN_ALL},
    {"bisection", "bisection", COLUMN_REAL, OF_TREE(bisection), 3, IN_ALL},
    [COST] = {"cost", "cost", COLUMN_REAL, offsetof(bough_plan_row, cost), 0, IN_ALL},
    {"tornado", "tornado", COLUMN_REAL, offsetof(bough_plan_row, loads.tornado), 0, IN_ALL},
    {"random", "random", COLUMN_REAL, offsetof(bough_plan_row, loads.random), 3, IN_ALL},
    {"random_ci95", NULL, COLUMN_REAL, offsetof(bough_plan_row, loads.random_ci95), .in = IN_JSON},
    {"job_time", "job s", COLUMN_REAL, offsetof(bough_plan_row, time.seconds), 4, IN_ALL | IN_REQUEST},
    {"job_time_ci95", NULL, COLUMN_REAL, offsetof(bough_plan_row, time.ci95), .in = IN_JSON | IN_REQUEST},
    {"pareto", NULL, COLUMN_FLAG, offsetof(bough_plan_row, time.pareto), .in = IN_JSON | IN_CSV | IN_REQUEST},
};

enum {
    NETWORK_COLUMNS = sizeof network_columns / sizeof *network_columns,
    TREE_COLUMNS = sizeof tree_columns / sizeof *tree_columns
};

/* ---- for people ---- */

static void put_trees(document *d, const bough_plan_report *r) {
    const bough_prices *prices = &r->question->ask.prices;
    row_column column[NETWORK_COLUMNS + TREE_COLUMNS];
    char cost[48];
    text_table table = {.labels = 2};
    memcpy(column, network_columns, sizeof network_columns);
    memcpy(column + NETWORK_COLUMNS, tree_columns, sizeof tree_columns);
    snprintf(cost, sizeof cost, "cost%s%s", *prices->currency ? " " : "", prices->currency);
    column[NETWORK_COLUMNS + COST].heading = cost;
    if (!prices->given) column[NETWORK_COLUMNS + COST].in &= ~IN_TEXT;
    const row_columns list = {column, NETWORK_COLUMNS + TREE_COLUMNS, sizeof *r->row,
                              r->question->job.traffic};
    columns_head(&list, &table);
    text_table_end_row(&table);
    for (size_t i = 0; i < r->rows; i++) {
        columns_row(&list, &r->row[i], &table);
        text_table_end_row(&table);
    }
    document_table(d, &table, "Trees");
}

static bool is_pair(const bough_plan_tree *t) {
    return t->levels == 2 && t->down[1] == 2 && t->up[1] == 1;
}

/* A switch above two leaves only passes messages on. */
static void put_pairs(document *d, const bough_plan_report *r) {
    bough_text list = {0};
    for (size_t i = 0; i < r->rows; i++) {
        const bough_plan_tree *t = &r->row[i].tree;
        if (is_pair(t))
            bough_text_printf(&list, "%s%" PRIu64 " (%" PRIu64 " cables)", list.length ? ", " : "",
                              r->row[i].number, t->cables / 2);
    }
    if (list.length)
        document_fact(d, "pair",
                      "two switches, joined directly, do what two leaves under one switch do, with the same "
                      "loads, taper and bisection: in place of tree %s",
                      list.data);
    d->failed |= list.failed;
    bough_text_fini(&list);
}

static void put_notes(document *d, const bough_plan_report *r) {
    const bough_plan_job *job = &r->question->job;
    document_note(d, "cables: between switches; free: unused ports; bisection: cables across the middle, 1 "
                     "is full; tornado, "
                     "random: flows on the most loaded link under D-mod-K, when every endpoint sends to the "
                     "one half way around, and in a random permutation");
    if (job->traffic)
        document_note(d, "job s: time of %s by flow under %s, %s; *: no other tree is cheaper and as fast",
                      job->traffic, job->routing,
                      r->row[0].time.spray ? "messages divided over all paths" : "one path a message");
    if (r->row[0].tree.levels > 3)
        document_note(d, "of trees of four levels only those were tried whose middle switches have as many "
                         "ports up as down");
}

static void put_specs(document *d, const bough_plan_report *r) {
    char label[32];
    document_section(d, "specs", "Networks");
    for (size_t i = 0; i < r->rows; i++) {
        snprintf(label, sizeof label, "tree %" PRIu64, r->row[i].number);
        document_fact(d, label, "%s", r->row[i].tree.spec);
    }
    put_pairs(d, r);
}

/* The job on the first tree, asked as the times were. */
static void put_next_job(document *d, const bough_plan_report *r) {
    const bough_plan_job *job = &r->question->job;
    bough_text command = {0};
    char *spec = NULL;
    if (bough_plan_job_spec(job, &spec, NULL)) d->failed = true;
    bough_text_printf(&command, "bough sim %s ", r->row[0].tree.spec);
    bough_text_put_word(&command, spec ? spec : "");
    bough_text_put(&command, job->spray ? " flow:spray=1" : " flow");
    bough_text_put(&command, " --routing ");
    bough_text_put_word(&command, job->routing ? job->routing : "dmodk");
    if (job->physical) bough_text_put(&command, " --physical ");
    if (job->physical) bough_text_put_word(&command, job->physical);
    d->failed |= command.failed;
    if (command.data) document_command(d, command.data, "the job on tree 1 in detail");
    bough_text_fini(&command);
    free(spec);
}

static void put_next(document *d, const bough_plan_report *r) {
    const bough_plan_ask *ask = &r->question->ask;
    bough_text command = {0};
    bough_text_printf(&command, "bough sim %s randperm linkload --routing dmodk --trials 100",
                      r->row[0].tree.spec);
    document_section(d, "next", "Next");
    d->failed |= command.failed;
    if (command.data) document_command(d, command.data, "the loads of tree 1 under random permutations");
    bough_text_fini(&command);
    if (r->question->job.traffic) {
        put_next_job(d, r);
        return;
    }
    bough_text_printf(&command,
                      "bough plan --hosts %" PRIu64 " --radix %u --taper %g --job allreduce:size=1GB",
                      ask->hosts, ask->radix, ask->taper);
    d->failed |= command.failed;
    if (command.data) document_command(d, command.data, "adds the time of a job on every tree");
    bough_text_fini(&command);
}

static void describe(document *d, const bough_plan_report *r) {
    const bough_plan_ask *ask = &r->question->ask;
    document_section(d, "summary", "Summary");
    document_begin(d, DOCUMENT_LINE, NULL);
    document_put(d, "%" PRIu64 " hosts, switches of %u ports, taper at most %g: %zu fat-tree%s", ask->hosts,
                 ask->radix, ask->taper, r->found, r->found == 1 ? "" : "s");
    if (r->found > 1)
        document_put(d, ", Pareto-optimal in %s and taper", ask->prices.given ? "cost" : "switches, cables");
    if (r->rows < r->found) document_put(d, "; %zu shown (--limit)", r->rows);
    document_end(d);
    document_section(d, "trees", "Trees");
    put_trees(d, r);
    put_notes(d, r);
    put_specs(d, r);
    put_next(d, r);
}

void bough_plan_report_text(const bough_plan_report *r, size_t width, bough_text *out) {
    document d = {0};
    describe(&d, r);
    document_write_text(&d, &(document_text_options){.width = width}, out);
    document_fini(&d);
}

/* ---- for programs ---- */

static void put_tree(json_writer *w, const bough_plan_row *row, bool job) {
    const row_columns network = {network_columns, NETWORK_COLUMNS, sizeof *row, job},
                      tree = {tree_columns, TREE_COLUMNS, sizeof *row, job};
    json_begin_object(w, NULL, true);
    json_begin_object(w, "network", true);
    columns_json(&network, row, w);
    json_end_object(w);
    columns_json(&tree, row, w);
    json_end_object(w);
}

void bough_plan_report_json(const bough_plan_report *r, bough_text *out) {
    const bough_plan_ask *ask = &r->question->ask;
    const bough_plan_job *job = &r->question->job;
    json_writer w = {.out = out};
    json_begin_document(&w);
    json_put_whole(&w, "hosts", (int64_t)ask->hosts);
    json_put_whole(&w, "radix", ask->radix);
    json_put_real(&w, "taper", ask->taper);
    json_put_text(&w, "currency", ask->prices.given ? ask->prices.currency : NULL);
    if (job->traffic) {
        json_put_text(&w, "job", job->traffic);
        json_put_text(&w, "job_routing", job->routing);
        json_put_flag(&w, "job_spray", r->row[0].time.spray);
    }
    json_put_whole(&w, "found", (int64_t)r->found);
    json_begin_array(&w, "trees", false);
    for (size_t i = 0; i < r->rows; i++) put_tree(&w, &r->row[i], job->traffic);
    json_end_array(&w);
    json_end_document(&w);
}

void bough_plan_report_csv(const bough_plan_report *r, bough_text *out) {
    row_column column[NETWORK_COLUMNS + TREE_COLUMNS];
    memcpy(column, network_columns, sizeof network_columns);
    memcpy(column + NETWORK_COLUMNS, tree_columns, sizeof tree_columns);
    const row_columns list = {column, NETWORK_COLUMNS + TREE_COLUMNS, sizeof *r->row,
                              r->question->job.traffic};
    columns_csv(&list, r->row, r->rows, out);
}
