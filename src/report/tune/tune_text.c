/* The report of bough tune for people. */
#include "base/memory/memory.h"
#include "base/text/escape.h"
#include "base/text/text.h"
#include "report/report.h"
#include "document/narrow_table.h"
#include "document/text_table.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const measures[BOUGH_TUNE_OBJECTIVES] = {
    "alltoall: the largest load of a link, if every endpoint sends to every other",
    "shifts: the largest load of a link, the mean over all shifts",
    "worst-shift: the largest load of a link in any shift",
    "random: the largest load of a link, the mean over random permutations",
    "worst: what a permutation can load a link with, at most",
    "jobs: the largest load of a link by all messages of the jobs",
};

static void put_head(bough_text *out, const bough_tune_report *r) {
    const bough_net *net = r->net;
    bough_text_put_line(out, "fabric      %s", net->faults ? net->faults->base->spec : net->spec);
    if (net->faults) bough_text_put_line(out, "without     %s", net->faults->spec);
    bough_text_printf(out,
                      "endpoints   %" PRIu64 ", %" PRIu64 " switches, %" PRIu64 " cables between switches\n",
                      r->endpoints, net->switches, net->cables);
    bough_text_printf(out, "objective   %s\n", measures[r->objective]);
    if (r->lmc)
        bough_text_printf(out, "lmc         %u: what an endpoint receives is divided over %u of its LIDs\n",
                          r->lmc, 1u << r->lmc);
    if (r->engine)
        bough_text_printf(out, "settings    of OpenSM's engine %s\n\n", r->engine);
    else
        bough_text_printf(
            out, "paths       %s; %" PRIu64 " entries have a choice\n\n",
            r->shortest ? "all shortest paths, which cannot deadlock" : "shortest up/down paths", r->choices);
}

static void add_row(text_table *t, const bough_tune_report *r, const char *name, const bough_tune_row *row) {
    text_table_add(t, name);
    text_table_add_number(t, 5, row->score.value);
    text_table_add_number(t, 3, row->score.value / r->bound.value);
    text_table_add_number(t, 5, row->score.most);
    text_table_add_number(t, 0, row->score.at);
    text_table_add_number(t, 0, (double)row->unrouted);
    text_table_add(t, row->cycle ? "possible" : "none");
    text_table_end_row(t);
}

static const char *most_head(bough_tune_objective objective) {
    return objective == BOUGH_TUNE_SHIFTS || objective == BOUGH_TUNE_RANDOM ? "maximum"
           : objective == BOUGH_TUNE_WORST_SHIFT                            ? "mean"
                                                                            : "switches";
}

static void put_rows(bough_text *out, const bough_tune_report *r, size_t width) {
    text_table table = {.labels = 1};
    bough_text legend = {0};
    const bough_tune_row tuned = {.score = r->score, .unrouted = r->unrouted, .cycle = r->cycle};
    text_table_head(&table, "routing", false);
    text_table_head(&table, "load", true);
    text_table_head(&table, "of bound", true);
    text_table_head(&table, most_head(r->objective), true);
    text_table_head(&table, "at it", true);
    text_table_head(&table, "unrouted", true);
    text_table_head(&table, "deadlock", false);
    text_table_end_row(&table);
    for (size_t i = 0; i < r->rows; i++) add_row(&table, r, r->row[i].spec, &r->row[i]);
    add_row(&table, r, "tuned", &tuned);
    narrow_table_write(&table, width, out, &legend);
    if (legend.length) bough_text_put(out, "\n");
    bough_text_join(out, &legend);
    text_table_fini(&table);
}

static void put_bound(bough_text *line, const bough_tune_report *r) {
    char name[160];
    const bough_tune_bound *b = &r->bound;
    bough_text_printf(line, "No table can have less than %.6g", b->value);
    if (b->kind == BOUGH_TUNE_BOUND_HOSTS) bough_text_put(line, ", the load of the links of endpoints");
    if (b->kind == BOUGH_TUNE_BOUND_CUT && b->node == BOUGH_NONE)
        bough_text_put(line, ", by the links around leaf switches and subtrees");
    if (b->kind == BOUGH_TUNE_BOUND_CUT && b->node != BOUGH_NONE) {
        bough_text_printf(line, ", by the %" PRIu64 " links each way between ", b->links);
        bough_text_put(line, bough_node_name(r->net, b->node, name, sizeof name));
        if (b->switches > 1)
            bough_text_printf(line, " with %" PRIu64 " switches connected below", b->switches - 1);
        bough_text_put(line, " and the rest");
    }
    if (b->kind == BOUGH_TUNE_BOUND_DUAL) bough_text_put(line, ", by distances over weighted links");
    if (r->optimal)
        bough_text_printf(line, ": the tuned %s are optimal.", r->engine ? "settings" : "tables");
    else
        bough_text_printf(line, ": the tuned %s are within %.2g %%.", r->engine ? "settings" : "tables",
                          100 * (r->score.value / b->value - 1));
}

static void put_settings(bough_text *out, const bough_tune_report *r, size_t width) {
    char name[160];
    bough_text line = {0};
    if (!r->engine) return;
    bough_text_printf(&line,
                      r->roots || r->firsts ? "Settings found, of %" PRIu64 " tried:"
                                            : "None of %" PRIu64 " settings is better.",
                      r->evaluated);
    for (size_t i = 0; i < r->roots; i++)
        bough_text_printf(&line, "%s%s", i ? ", " : " the roots ",
                          bough_node_name(r->net, r->root[i], name, sizeof name));
    if (r->firsts) bough_text_printf(&line, "%s an order of %zu endpoints", r->roots ? ";" : "", r->firsts);
    if (r->roots || r->firsts)
        bough_text_printf(&line, ". opensm -R %s%s%s takes them.", r->engine,
                          r->roots ? " -a FILE.roots" : "", r->firsts ? " -X FILE.order" : "");
    bough_text_put(out, "\n");
    put_wrapped_text(out, &line, width);
}

static void put_change(bough_text *out, const bough_tune_report *r, size_t width) {
    const bough_tune_change *c = &r->change;
    char name[160];
    bough_text line = {0};
    if (!c->known) return;
    bough_text_printf(
        &line,
        "Against %s: %" PRIu64 " of %" PRIu64 " entries differ, in %" PRIu64 " switches and towards %" PRIu64
        " destinations; the paths of %" PRIu64 " of %" PRIu64 " pairs change.",
        r->row[0].spec, c->changed, c->entries, c->switches, c->destinations, c->moved, c->pairs);
    const bool any = c->changed && !c->far, listed = c->changed && c->far && c->order;
    if (any)
        bough_text_put(&line, " Both lead one link closer to the destination at every switch, so switches "
                              "can be updated in any "
                              "order without a transient loop.");
    if (listed)
        bough_text_put(&line,
                       " Switches can be updated one at a time without a transient loop, in this order:");
    if (c->changed && !c->order)
        bough_text_printf(
            &line,
            " No order of whole switches is known to be free of transient loops: %" PRIu64
            " of them wait for each other. Destination by destination there is one: for each, update its "
            "switches from the destination outward in the new tables (at most %" PRIu64 " switches).",
            c->stuck, c->depth);
    for (uint64_t i = 0; listed && i < c->switches; i++)
        bough_text_printf(&line, "%s%s", i ? ", " : " ",
                          bough_node_name(r->net, c->order[i], name, sizeof name));
    if (listed) bough_text_put(&line, ".");
    bough_text_put(out, "\n");
    put_wrapped_text(out, &line, width);
}

bough_status bough_report_tune_text(const bough_tune_report *r, size_t width, char **text,
                                    bough_error *error) {
    bough_text out = {0}, line = {0};
    put_head(&out, r);
    put_rows(&out, r, width ? width : SIZE_MAX);
    bough_text_put(&out, "\n");
    put_bound(&line, r);
    if (r->interrupted) bough_text_put(&line, " The search was interrupted; this is the best so far.");
    put_wrapped_text(&out, &line, width ? width : 80);
    put_settings(&out, r, width ? width : 80);
    put_change(&out, r, width ? width : 80);
    *text = bough_text_take(&out);
    return *text ? BOUGH_OK : bough_fail_memory(error, 4096);
}
