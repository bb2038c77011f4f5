/* The report of bough tune for people. */
#include "base/text/text.h"
#include "document/document.h"
#include "fabric/tune/tune.h"
#include "network/faults/faults.h"

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

static void put_head(document *d, const bough_tune_report *r) {
    const bough_net *net = r->net;
    document_section(d, "summary", "Summary");
    document_fact(d, "fabric", "%s", net->faults ? net->faults->base->spec : net->spec);
    if (net->faults) document_fact(d, "without", "%s", net->faults->spec);
    document_fact(d, "endpoints", "%" PRIu64 ", %" PRIu64 " switch%s, %" PRIu64 " cable%s between switches",
                  r->endpoints, net->switches, net->switches == 1 ? "" : "es", net->cables,
                  bough_s(net->cables));
    document_fact(d, "objective", "%s", measures[r->objective]);
    if (r->lmc)
        document_fact(d, "lmc", "%u: what an endpoint receives is divided over %u of its LIDs", r->lmc,
                      1u << r->lmc);
    if (r->engine)
        document_fact(d, "settings", "of OpenSM's engine %s", r->engine);
    else
        document_fact(d, "paths", "%s; %" PRIu64 " %s %s a choice",
                      r->shortest ? "all shortest paths, which cannot deadlock" : "shortest up/down paths",
                      r->choices, r->choices == 1 ? "entry" : "entries", r->choices == 1 ? "has" : "have");
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

static void put_rows(document *d, const bough_tune_report *r) {
    text_table table = {0}; /* long names become a legend */
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
    document_table(d, &table, "Routings");
}

static void put_bound(document *d, const bough_tune_report *r) {
    char name[160];
    const bough_tune_bound *b = &r->bound;
    document_section(d, "bound", "How good tables can be");
    document_begin(d, DOCUMENT_LINE, NULL);
    document_put(d, "No table can have less than %.6g", b->value);
    if (b->kind == BOUGH_TUNE_BOUND_HOSTS) document_put(d, ", the load of the links of endpoints");
    if (b->kind == BOUGH_TUNE_BOUND_CUT && b->node == BOUGH_NONE)
        document_put(d, ", by the links around leaf switches and subtrees");
    if (b->kind == BOUGH_TUNE_BOUND_CUT && b->node != BOUGH_NONE) {
        document_put(d, ", by the %" PRIu64 " links each way between ", b->links);
        document_put(d, "%s", bough_node_name(r->net, b->node, name, sizeof name));
        if (b->switches > 1)
            document_put(d, " with %" PRIu64 " switch%s connected below", b->switches - 1,
                         (b->switches - 1) == 1 ? "" : "es");
        document_put(d, " and the rest");
    }
    if (b->kind == BOUGH_TUNE_BOUND_DUAL) document_put(d, ", by distances over weighted links");
    if (r->optimal)
        document_put(d, ": the tuned %s are optimal.", r->engine ? "settings" : "tables");
    else
        document_put(d, ": the tuned %s are within %.2g %%.", r->engine ? "settings" : "tables",
                     100 * (r->score.value / b->value - 1));
    if (r->interrupted) document_put(d, " The search was interrupted; this is the best so far.");
    document_end(d);
}

static void put_settings(document *d, const bough_tune_report *r) {
    char name[160];
    if (!r->engine) return;
    document_section(d, "settings", "Settings");
    document_begin(d, DOCUMENT_LINE, NULL);
    document_put(d,
                 r->roots || r->firsts ? "Settings found, of %" PRIu64 " tried:"
                                       : "None of %" PRIu64 " settings is better.",
                 r->evaluated);
    for (size_t i = 0; i < r->roots; i++)
        document_put(d, "%s%s", i ? ", " : " the roots ",
                     bough_node_name(r->net, r->root[i], name, sizeof name));
    if (r->firsts) document_put(d, "%s an order of %zu endpoints", r->roots ? ";" : "", r->firsts);
    if (r->roots || r->firsts)
        document_put(d, ". opensm -R %s%s%s takes them.", r->engine, r->roots ? " -a FILE.roots" : "",
                     r->firsts ? " -X FILE.order" : "");
    document_end(d);
}

static void put_change(document *d, const bough_tune_report *r) {
    const bough_tune_change *c = &r->change;
    char name[160];
    if (!c->known) return;
    document_section(d, "change", "Changing over");
    document_begin(d, DOCUMENT_LINE, NULL);
    document_put(d,
                 "Against %s: %" PRIu64 " of %" PRIu64 " entries differ, in %" PRIu64
                 " switch%s and towards %" PRIu64 " destination%s; the paths of %" PRIu64 " of %" PRIu64
                 " pairs change.",
                 r->row[0].spec, c->changed, c->entries, c->switches, c->switches == 1 ? "" : "es",
                 c->destinations, bough_s(c->destinations), c->moved, c->pairs);
    const bool any = c->changed && !c->far, listed = c->changed && c->far && c->order;
    if (any)
        document_put(d, " Both lead one link closer to the destination at every switch, so switches "
                        "can be updated in any "
                        "order without a transient loop.");
    if (listed)
        document_put(d, " Switches can be updated one at a time without a transient loop, in this order:");
    if (c->changed && !c->order)
        document_put(
            d,
            " No order of whole switches is known to be free of transient loops: %" PRIu64
            " of them wait for each other. Destination by destination there is one: for each, update its "
            "switches from the destination outward in the new tables (at most %" PRIu64 " switches).",
            c->stuck, c->depth);
    for (uint64_t i = 0; listed && i < c->switches; i++)
        document_put(d, "%s%s", i ? ", " : " ", bough_node_name(r->net, c->order[i], name, sizeof name));
    if (listed) document_put(d, ".");
    document_end(d);
}

bough_status bough_tune_report_text(const bough_tune_report *r, size_t width, char **text,
                                    bough_error *error) {
    document d = {0};
    bough_text out = {0};
    put_head(&d, r);
    put_rows(&d, r);
    put_bound(&d, r);
    put_settings(&d, r);
    put_change(&d, r);
    document_write_text(&d, &(document_text_options){.width = width ? width : 80}, &out);
    document_fini(&d);
    return bough_text_finish(&out, text, error);
}
