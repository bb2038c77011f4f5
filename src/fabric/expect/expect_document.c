#include "fabric/check/check_document.h"

#include "fabric/check/check_json_parts.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- text ---- */

/* one: of one; else of several. */
typedef struct counted {
    const char *one, *several;
} counted;

static const counted words[BOUGH_DEVIATION_KINDS] = {
    [BOUGH_DEVIATION_SWAPPED] = {"pair of swapped cables", "pairs of swapped cables"},
    [BOUGH_DEVIATION_MOVED] = {"cable at another node", "cables at another node"},
    [BOUGH_DEVIATION_OTHER_PORT] = {"cable at another port", "cables at another port"},
    [BOUGH_DEVIATION_EXTRA] = {"extra cable", "extra cables"},
    [BOUGH_DEVIATION_MISSING] = {"missing cable", "missing cables"},
    [BOUGH_DEVIATION_OTHER_RATE] = {"cable of another rate", "cables of another rate"},
    [BOUGH_DEVIATION_NODE_MISSING] = {"missing node", "missing nodes"},
    [BOUGH_DEVIATION_NODE_EXTRA] = {"extra node", "extra nodes"},
    [BOUGH_DEVIATION_SIZE] = {"part of another size", "parts of another size"},
};

static void put_counts(const check_view *w, const bough_expected *e) {
    const char *separator = "";
    for (int k = 0; k < BOUGH_DEVIATION_KINDS; k++) {
        if (!e->count[k]) continue;
        document_put(w->doc, "%s%" PRIu64 " %s", separator, e->count[k],
                     e->count[k] == 1 ? words[k].one : words[k].several);
        separator = ", ";
    }
    if (!*separator) document_put(w->doc, "no deviations");
}

enum { SIZES_SHOWN = 3 };

/* Of another size may be what a plan does not forbid: it has no line among the warnings. */
static void put_sizes(const check_view *w, const bough_expected *e) {
    size_t shown = 0;
    for (size_t i = 0; i < e->deviations; i++) {
        const bough_deviation *d = &e->deviation[i];
        if (d->kind != BOUGH_DEVIATION_SIZE || d->severity != BOUGH_INFO || shown++ >= SIZES_SHOWN) continue;
        document_fact(w->doc, "", "%s: %s", d->node, d->text);
    }
    if (shown > SIZES_SHOWN) document_fact(w->doc, "", "and %zu more", shown - SIZES_SHOWN);
}

void check_expect_card(const check_view *w) {
    const bough_expected *e = &w->report->expected;
    char answer[80];
    if (!e->basis) return;
    snprintf(answer, sizeof answer, "%" PRIu64 " of %" PRIu64 " cables", e->right, e->cables_planned);
    document_card(w->doc, "plan", answer, e->deviations ? "are in place" : "are in place; no deviations",
                  true);
    document_style(w->doc, e->deviations ? TEXT_WARNING : TEXT_GOOD);
}

void check_expect_describe(const check_view *w) {
    const bough_expected *e = &w->report->expected;
    if (!e->basis) return;
    document_section(w->doc, "plan", "Cabling against its plan");
    document_begin(w->doc, DOCUMENT_FACT, "plan");
    document_put(w->doc, "%s: %" PRIu64 " of %" PRIu64 " %scables%s%s are in place", e->plan, e->right,
                 e->cables_planned, e->basis == BOUGH_EXPECT_REGULAR ? "" : "planned ",
                 e->basis == BOUGH_EXPECT_FILE ? "" : " between switches",
                 e->basis == BOUGH_EXPECT_REGULAR ? " of a regular tree" : "");
    if (e->cables != e->cables_planned && e->cables != e->right)
        document_put(w->doc, "; there are %" PRIu64, e->cables);
    if (e->basis != BOUGH_EXPECT_FILE) document_put(w->doc, " (rates are not compared)");
    document_end(w->doc);
    if (e->shape) document_fact(w->doc, "", "%s", e->shape);
    document_begin(w->doc, DOCUMENT_FACT, "");
    put_counts(w, e);
    document_end(w->doc);
    put_sizes(w, e);
}

/* ---- JSON ---- */

static void put_cables(json_writer *w, const char *key, char *const cable[2]) {
    json_begin_array(w, key, true);
    for (int i = 0; i < 2 && cable[i]; i++) json_put_text(w, NULL, cable[i]);
    json_end_array(w);
}

static void put_deviation(json_writer *w, const bough_deviation *d) {
    json_begin_object(w, NULL, true);
    json_put_text(w, "kind", bough_deviation_name(d->kind));
    put_cables(w, "now", d->now);
    put_cables(w, "planned", d->planned);
    json_put_text(w, "at", d->node);
    json_put_whole(w, "count", (int64_t)d->cables);
    json_put_text(w, "text", d->text);
    json_end_object(w);
}

void check_put_expected(json_writer *w, const bough_check_report *report) {
    const bough_expected *e = &report->expected;
    if (!e->basis) return;
    json_begin_object(w, "expected", false);
    json_put_text(w, "plan", e->plan);
    json_put_text(w, "basis", bough_expect_basis_name(e->basis));
    json_put_text(w, "shape", e->shape);
    json_put_whole(w, "cables_planned", (int64_t)e->cables_planned);
    json_put_whole(w, "cables", (int64_t)e->cables);
    json_put_whole(w, "right", (int64_t)e->right);
    json_put_whole(w, "cables_of_missing_nodes", (int64_t)e->cables_of_missing);
    json_put_whole(w, "cables_of_extra_nodes", (int64_t)e->cables_of_extra);
    json_put_whole(w, "nodes_planned", (int64_t)e->nodes_planned);
    json_put_whole(w, "nodes", (int64_t)e->nodes);
    json_begin_object(w, "counts", true);
    for (int k = 0; k < BOUGH_DEVIATION_KINDS; k++)
        json_put_whole(w, bough_deviation_name((bough_deviation_kind)k), (int64_t)e->count[k]);
    json_end_object(w);
    json_begin_array(w, "deviations", false);
    for (size_t i = 0; i < e->deviations; i++) put_deviation(w, &e->deviation[i]);
    json_end_array(w);
    check_put_findings(w, report, FINDINGS_OF_PLAN, 0);
    json_end_object(w);
}
