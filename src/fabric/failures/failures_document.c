/* What failures cost: lists of single ones, curves, the fabric without some parts. */
#include "fabric/check/check_document.h"
#include "fabric/check/check_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 10 };

static const char *plural(const bough_failure_list *list) {
    return strcmp(list->what, "cable") == 0 ? "cables" : "switches";
}

/* "-" where pairs are missing. */
static const char *slowdown(double value, char buffer[CHECK_NUMBER]) {
    if (isnan(value)) return "-";
    snprintf(buffer, CHECK_NUMBER, "%.3f", value);
    return buffer;
}

static void add_count(text_table *t, uint64_t count) {
    char text[CHECK_NUMBER];
    text_table_add(t, check_number((double)count, text));
}

static void head(text_table *t, const char *const *name, size_t count) {
    for (size_t i = 0; i < count; i++) text_table_head(t, name[i], true);
    text_table_end_row(t);
}

/* Slowdown, all-to-all, the worst shift, the mean. */
static void add_load(text_table *t, const bough_failure_load *load) {
    char text[CHECK_NUMBER];
    text_table_add(t, slowdown(load->slowdown, text));
    add_count(t, load->alltoall_max);
    add_count(t, load->shift_max);
    snprintf(text, sizeof text, "%.2f", load->shift_mean);
    text_table_add(t, text);
}

static void add_failure(text_table *t, const bough_net *net, const bough_failure *r) {
    char name[400], label[420];
    snprintf(label, sizeof label, "%s%s", r->alike > 1 ? "e.g. " : "",
             failure_name(net, r, name, sizeof name));
    text_table_add(t, label);
    add_count(t, r->alike);
    add_count(t, r->lost);
    add_count(t, r->cut);
    add_load(t, &r->rerouted);
    text_table_end_row(t);
}

/* Rows of failures with own pairs, or of those without: hosts that go with their switch would hide the rest.
 */
static void put_rows(const check_view *w, const bough_failure_list *list, bool own) {
    static const char *const heads[] = {"alike", "lost", "cut", "slowdown", "alltoall", "shift", "mean"};
    text_table t = {.labels = 1};
    bough_text more = {0};
    size_t rows = 0, things = 0;
    text_table_head(&t, list->what, false);
    head(&t, heads, 7);
    for (size_t i = 0; i < list->count; i++) {
        const bough_failure *r = &list->item[i];
        if ((r->own > 0) != own || !r->alike) continue;
        add_failure(&t, w->report->net, r);
        if (rows++ >= ROWS) things += r->alike;
    }
    bough_text_printf(&more, "%zu %s more in %zu rows (--json has all)", things, plural(list),
                      rows > ROWS ? rows - ROWS : 0);
    document_long_table(w->doc, &t, "Single failures, the worst first", ROWS, &more);
}

static bool has_own(const bough_failure_list *list, bool own) {
    for (size_t i = 0; i < list->count; i++)
        if ((list->item[i].own > 0) == own) return true;
    return false;
}

/* All failures of a list. */
typedef struct sums {
    double lost, slowdown; /* means */
    double slowest, shift; /* maxima: slowdown, mean over shifts; slowdowns: of those that cut nothing, NAN
                              where there are none */
    const bough_failure *most; /* pairs lost as the tables are */
    size_t whole, single;      /* that cut nothing; that cut more than their own */
} sums;

static sums sum_of(const bough_failure_list *list) {
    sums s = {.most = list->item, .slowest = NAN};
    for (size_t i = 0; i < list->count; i++) {
        const bough_failure *r = &list->item[i];
        s.lost += (double)r->lost / (double)list->count;
        if (r->lost > s.most->lost) s.most = r;
        if (!isnan(r->rerouted.slowdown)) s.slowdown += r->rerouted.slowdown;
        s.slowest = fmax(s.slowest, r->rerouted.slowdown); /* of a number and NAN the number */
        if (r->rerouted.shift_mean > s.shift) s.shift = r->rerouted.shift_mean;
        s.whole += r->cut == 0;
        s.single += r->cut > r->own;
    }
    s.slowdown = s.whole ? s.slowdown / (double)s.whole : NAN;
    return s;
}

static void put_list(const check_view *w, const bough_check_failures *f, const bough_failure_list *list) {
    const bough_net *net = w->report->net;
    sums s = sum_of(list);
    char name[400], mean[CHECK_NUMBER];
    document_heading(w->doc, "", "each:%s  %zu %s, one dead at a time", list->spec + strlen("each:what="),
                     list->count, list->count == 1 ? list->what : plural(list));
    document_begin(w->doc, DOCUMENT_LINE, NULL);
    document_put(w->doc,
                 "tables as they are: a dead %s loses %s of %" PRIu64 " pairs on average, %" PRIu64
                 " at most (%s)",
                 list->what, check_number(s.lost, mean), f->whole.pairs, s.most->lost,
                 failure_name(net, s.most, name, sizeof name));
    if (list->idle)
        document_put(w->doc, "; %zu %s nothing", list->idle, list->idle == 1 ? "carries" : "carry");
    document_end(w->doc);
    document_begin(w->doc, DOCUMENT_LINE, NULL);
    document_put(w->doc, "%s: %zu of %zu disconnect no endpoint", failure_answer(list->anew), s.whole,
                 list->count);
    if (s.single)
        document_put(w->doc, ", %zu %s %s", s.single, s.single == 1 ? "disconnects" : "disconnect",
                     strcmp(list->what, "cable") ? "others than their own hosts" : "some");
    document_put(w->doc, "; %zu harmless (all-to-all no slower, largest loads no higher)", list->harmless);
    document_end(w->doc);
    document_begin(w->doc, DOCUMENT_LINE, NULL);
    document_put(w->doc, "whole fabric: all-to-all %" PRIu64 "%s, shifts %" PRIu64 " at most, %s on average",
                 f->whole.alltoall_max, f->whole.hosts_limit ? " (hosts' own links limit it)" : "",
                 f->whole.shift_max, check_number(f->whole.shift_mean, mean));
    document_end(w->doc);
    document_line(w->doc, "%s, the worst first:", failure_answer(list->anew));
    bool both = has_own(list, true) && has_own(list, false);
    if (has_own(list, true)) put_rows(w, list, true);
    if (both) document_line(w->doc, "without hosts of their own:");
    if (has_own(list, false)) put_rows(w, list, false);
}

/* ---- curves ---- */

static double ci(const bough_stats *s) {
    return s->count > 1 ? bough_stats_ci95(s) : 0;
}

/* "98.123 +- 0.045" */
static void add_percent(text_table *t, const bough_stats *s) {
    char text[CHECK_INTERVAL];
    if (s->count > 1)
        snprintf(text, sizeof text, "%.3f +- %.3f", 100 * s->mean, 100 * ci(s));
    else
        snprintf(text, sizeof text, "%.3f", 100 * s->mean);
    text_table_add(t, text);
}

static void add_step(text_table *t, const bough_degradation_step *s) {
    char text[CHECK_INTERVAL], share[CHECK_NUMBER];
    snprintf(text, sizeof text, "%s%%", check_number(100 * s->share, share));
    text_table_add(t, text);
    add_percent(t, &s->as_is);
    add_percent(t, &s->rerouted);
    snprintf(text, sizeof text, "%.3f", 100 * s->worst);
    text_table_add(t, text);
    text_table_add(t, check_interval(s->max.mean, ci(&s->max), CHECK_SIGN, text));
    text_table_add(t, check_interval(s->mean.mean, ci(&s->mean), CHECK_SIGN, text));
    text_table_end_row(t);
}

static void put_curve(const check_view *w, const bough_degradation *c) {
    static const char *const heads[] = {"connected as is", "rerouted", "worst", "all-to-all max",
                                        "mean load"};
    text_table t = {0};
    document_heading(w->doc, "", "%s by share, %" PRIu64 " draw%s each; means +- 95 %% interval; loads: %s",
                     c->spec, c->trials, c->trials == 1 ? "" : "s", failure_answer(c->anew));
    text_table_head(&t, "share", true);
    head(&t, heads, 5);
    for (size_t i = 0; i < c->count; i++) add_step(&t, &c->step[i]);
    if (w->figures) w->figures->degradation(w->doc, c);
    document_table(w->doc, &t, "Connected pairs and loads by the share of dead parts");
    document_note(
        w->doc,
        "connected: %% of the pairs of the whole fabric; mean load: flows on a link between switches");
}

/* ---- without some parts ---- */

static void add_state(text_table *t, const char *what, const bough_failure_load *m) {
    text_table_add(t, what);
    add_count(t, m->pairs);
    add_load(t, m);
    text_table_end_row(t);
}

static void put_without(const check_view *w, const bough_check_failures *f) {
    static const char *const heads[] = {"pairs", "slowdown", "alltoall", "shift", "mean"};
    text_table t = {.labels = 1};
    uint64_t gone = f->without.gone;
    document_heading(w->doc, "without", "%s", f->missing);
    text_table_head(&t, "", false);
    head(&t, heads, 5);
    add_state(&t, "whole fabric", &f->whole);
    add_state(&t, "tables as they are", &f->without.as_is);
    add_state(&t, failure_answer(f->without.anew), &f->without.rerouted);
    document_table(w->doc, &t, "The fabric with and without these parts");
    if (gone)
        document_line(w->doc, "%" PRIu64 " endpoint%s disconnected from all others", gone,
                      gone == 1 ? " is" : "s are");
    document_note(w->doc,
                  "pairs that arrive; slowdown: time of all-to-all over that of the whole fabric, hosts' "
                  "links included; "
                  "flows on the most loaded link of all-to-all and of the worst shift; mean over shifts");
}

/* ---- all of it ---- */

static void put_failures(const check_view *w, size_t part) {
    const bough_check_failures *f = &w->report->part[part].failures;
    if (f->missing) put_without(w, f);
    if (!f->lists && !f->curves) return;
    document_heading(w->doc, "failures", "%s", w->name[part]);
    if (f->made)
        document_line(
            w->doc, "no tables were given: these figures are of shortest-path tables that bough makes, with "
                    "addresses spread evenly over ports");
    for (size_t i = 0; i < f->lists; i++) put_list(w, f, &f->list[i]);
    if (f->lists)
        document_note(
            w->doc,
            "lost: pairs, until there are new tables; cut: pairs without a path, and no slowdown, as "
            "less is sent; slowdown: the time of all-to-all over that of the whole fabric, hosts' links "
            "included; flows on the most loaded link of all-to-all and of the worst shift, mean over "
            "shifts");
    for (size_t i = 0; i < f->curves; i++) put_curve(w, &f->curve[i]);
}

static void add_sums(text_table *t, const char *name, const bough_failure_list *list) {
    sums s = sum_of(list);
    char text[CHECK_NUMBER];
    text_table_add(t, name);
    text_table_add(t, check_number(s.lost, text));
    add_count(t, list->count ? s.most->lost : 0);
    text_table_add(t, slowdown(s.slowdown, text));
    text_table_add(t, slowdown(s.slowest, text));
    snprintf(text, sizeof text, "%.2f", s.shift);
    text_table_add(t, text);
    add_count(t, list->harmless);
    text_table_end_row(t);
}

/* Parts with lists: those of adaptive routings stand elsewhere. first: the first of them. */
static size_t count_listed(const bough_check_report *report, const bough_check_failures **first) {
    size_t count = 0;
    for (size_t i = report->parts; i-- > 0;) {
        if (!report->part[i].failures.lists) continue;
        *first = &report->part[i].failures;
        count++;
    }
    return count;
}

static void put_comparison(const check_view *w, const char *spec, size_t list) {
    static const char *const heads[] = {"lost", "at most", "slowdown", "at most", "mean <=", "harmless"};
    const bough_check_report *report = w->report;
    text_table t = {.labels = 1};
    text_table_head(&t, "routing", false);
    head(&t, heads, 6);
    for (size_t i = 0; i < report->parts; i++)
        if (report->part[i].failures.lists) add_sums(&t, w->name[i], &report->part[i].failures.list[list]);
    document_heading(w->doc, "", "%s, routing by routing", spec);
    document_table(w->doc, &t, "Single failures, routing by routing");
    document_note(
        w->doc, "pairs lost by a failure, and at most; once rerouted: slowdown, and at most; the worst mean "
                "over shifts");
}

static bool asks(const bough_check_report *report, bool curves) {
    for (size_t i = 0; i < report->parts; i++) {
        const bough_check_failures *f = &report->part[i].failures;
        if (f->missing || f->lists || (curves && f->curves)) return true;
    }
    return false;
}

void check_failures_describe(const check_view *w) {
    if (!asks(w->report, true)) return;
    document_section(w->doc, "failures", "Failures");
    if (asks(w->report, false)) document_fold(w->doc); /* curves have no card */
    for (size_t i = 0; i < w->report->parts; i++) put_failures(w, i);
    const bough_check_failures *first = NULL;
    if (count_listed(w->report, &first) < 2) return;
    for (size_t k = 0; k < first->lists; k++) put_comparison(w, first->list[k].spec, k);
}
