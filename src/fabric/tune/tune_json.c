/* The report of bough tune for programs: docs/json.md. */
#include "base/json/json_writer.h"
#include "base/memory/memory.h"
#include "fabric/tune/tune.h"
#include "network/faults/faults.h"
#include "network/network_object.h"

static void put_score(json_writer *w, const bough_tune_score *s) {
    json_begin_object(w, "score", true);
    json_put_real(w, "value", s->value);
    json_put_real(w, "most", s->most);
    json_put_whole(w, "at", (int64_t)s->at);
    json_put_real(w, "squares", s->squares);
    json_end_object(w);
}

static void put_row(json_writer *w, const bough_tune_row *row) {
    json_begin_object(w, NULL, true);
    json_put_text(w, "routing", row->spec);
    put_score(w, &row->score);
    json_put_whole(w, "unrouted", (int64_t)row->unrouted);
    json_put_whole(w, "cycle", (int64_t)row->cycle);
    json_put_whole(w, "outside", (int64_t)row->outside);
    json_put_flag(w, "start", row->start);
    json_end_object(w);
}

static void put_bound(json_writer *w, const bough_tune_report *r) {
    char name[160];
    const bough_tune_bound *b = &r->bound;
    json_begin_object(w, "bound", true);
    json_put_real(w, "value", b->value);
    json_put_text(w, "by", bough_tune_bound_name(b->kind));
    json_put_text(w, "switch",
                  b->node == BOUGH_NONE ? NULL : bough_node_name(r->net, b->node, name, sizeof name));
    json_put_whole(w, "switches", (int64_t)b->switches);
    json_put_whole(w, "links", (int64_t)b->links);
    json_put_flag(w, "reached", r->optimal);
    json_end_object(w);
}

static void put_settings(json_writer *w, const bough_tune_report *r) {
    char name[160];
    if (!r->engine) return;
    json_begin_object(w, "engine", true);
    json_put_text(w, "name", r->engine);
    json_begin_array(w, "roots", true);
    for (size_t i = 0; i < r->roots; i++)
        json_put_text(w, NULL, bough_node_name(r->net, r->root[i], name, sizeof name));
    json_end_array(w);
    json_begin_array(w, "order", true);
    for (size_t i = 0; i < r->firsts; i++)
        json_put_text(w, NULL, bough_node_name(r->net, r->first[i], name, sizeof name));
    json_end_array(w);
    json_end_object(w);
}

static void put_change(json_writer *w, const bough_tune_report *r) {
    char name[160];
    const bough_tune_change *c = &r->change;
    if (!c->known) return;
    json_begin_object(w, "change", true);
    json_put_whole(w, "entries", (int64_t)c->entries);
    json_put_whole(w, "changed", (int64_t)c->changed);
    json_put_whole(w, "switches", (int64_t)c->switches);
    json_put_whole(w, "destinations", (int64_t)c->destinations);
    json_put_whole(w, "pairs", (int64_t)c->pairs);
    json_put_whole(w, "moved", (int64_t)c->moved);
    json_put_whole(w, "stuck", (int64_t)c->stuck);
    json_put_whole(w, "depth", (int64_t)c->depth);
    json_put_whole(w, "far", (int64_t)c->far);
    json_begin_array(w, "order", true);
    for (uint64_t i = 0; c->order && i < c->switches; i++)
        json_put_text(w, NULL, bough_node_name(r->net, c->order[i], name, sizeof name));
    json_end_array(w);
    json_end_object(w);
}

bough_status bough_tune_report_json(const bough_tune_report *r, char **text, bough_error *error) {
    bough_text out = {0};
    json_writer w = {.out = &out};
    json_begin_document(&w);
    network_object_begin(&w, r->net, network_object_spec(r->net));
    json_end_object(&w);
    if (r->net->faults) {
        json_begin_object(&w, "faults", true);
        json_put_text(&w, "spec", r->net->faults->spec);
        json_end_object(&w);
    }
    json_put_text(&w, "objective", bough_tune_objective_name(r->objective));
    json_put_whole(&w, "seed", (int64_t)r->seed);
    if (r->lmc) json_put_whole(&w, "lmc", (int64_t)r->lmc);
    json_put_text(&w, "paths", r->shortest ? "shortest" : "up/down");
    json_put_whole(&w, "pairs", (int64_t)r->pairs);
    json_put_whole(&w, "choices", (int64_t)r->choices);
    json_begin_array(&w, "routings", false);
    for (size_t i = 0; i < r->rows; i++) put_row(&w, &r->row[i]);
    json_end_array(&w);
    json_begin_object(&w, "tuned", true);
    put_score(&w, &r->score);
    json_put_whole(&w, "unrouted", (int64_t)r->unrouted);
    json_put_whole(&w, "cycle", (int64_t)r->cycle);
    json_put_whole(&w, "evaluated", (int64_t)r->evaluated);
    json_put_flag(&w, "interrupted", r->interrupted);
    json_end_object(&w);
    put_bound(&w, r);
    put_settings(&w, r);
    put_change(&w, r);
    json_end_document(&w);
    *text = bough_text_take(&out);
    return *text ? BOUGH_OK : bough_fail_memory(error, 4096);
}
