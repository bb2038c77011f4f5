/* Failures as text. */
#include "base/text/escape.h"
#include "report/check/check_render.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 10 };

static const char *plural(const bough_failure_list *list) {
    return strcmp(list->what, "cable") == 0 ? "cables" : "switches";
}

/* "-" where pairs are missing. */
static const char *format_slowdown(double slowdown, char *buffer, size_t size) {
    if (isnan(slowdown)) return "-";
    snprintf(buffer, size, "%.3f", slowdown);
    return buffer;
}

static void print_row(bough_text *out, const bough_net *net, const bough_failure *r) {
    char name[400], slowdown[32];
    bough_text_printf(
        out, "  %5" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9s %9" PRIu64 " %6" PRIu64 " %8.2f  %s%s\n", r->alike,
        r->lost, r->cut, format_slowdown(r->rerouted.slowdown, slowdown, sizeof slowdown),
        r->rerouted.alltoall_max, r->rerouted.shift_max, r->rerouted.shift_mean, r->alike > 1 ? "e.g. " : "",
        failure_name(net, r, name, sizeof name));
}

static void print_heading(bough_text *out, const bough_failure_list *list) {
    bough_text_printf(out, "  %5s %9s %9s %9s %9s %6s %8s  %s\n", "alike", "lost", "cut", "slowdown",
                      "alltoall", "shift", "mean", list->what);
}

/* Rows of failures with own pairs, or of those without: hosts that go with their switch would hide the rest.
 */
static void print_rows(bough_text *out, const bough_net *net, const bough_failure_list *list, bool own) {
    size_t rows = 0, things = 0, more = 0;
    for (size_t i = 0; i < list->count; i++) {
        const bough_failure *r = &list->item[i];
        if ((r->own > 0) != own || !r->alike) continue;
        if (rows++ < ROWS)
            print_row(out, net, r);
        else
            things += r->alike, more++;
    }
    if (more)
        bough_text_printf(out, "  %5zu %s more in %zu rows (--json has all)\n", things, plural(list), more);
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

static void print_list(bough_text *out, const bough_net *net, const bough_check_failures *f,
                       const bough_failure_list *list) {
    sums s = sum_of(list);
    char name[400];
    bough_text_put(out, "\n");
    bough_text_put_line(out, "each:%s  %zu %s, one dead at a time", list->spec + strlen("each:what="),
                        list->count, list->count == 1 ? list->what : plural(list));
    bough_text_printf(out,
                      "  tables as they are: a dead %s loses %.4g of %" PRIu64 " pairs on average, %" PRIu64
                      " at most (%s)",
                      list->what, s.lost, f->whole.pairs, s.most->lost,
                      failure_name(net, s.most, name, sizeof name));
    if (list->idle) bough_text_printf(out, "; %zu carry nothing", list->idle);
    bough_text_printf(out, "\n  tables rerouted: %zu of %zu disconnect no endpoint", s.whole, list->count);
    if (s.single)
        bough_text_printf(out, ", %zu disconnect more than %s", s.single,
                          strcmp(list->what, "cable") ? "their own hosts" : "nothing");
    bough_text_printf(out, "; %zu harmless (all-to-all no slower, largest loads no higher)\n",
                      list->harmless);
    bough_text_printf(
        out, "  whole fabric: all-to-all %" PRIu64 "%s, shifts %" PRIu64 " at most, %.4g on average\n",
        f->whole.alltoall_max, f->whole.hosts_limit ? " (hosts' own links limit it)" : "", f->whole.shift_max,
        f->whole.shift_mean);
    bough_text_printf(out, "  rerouted, the worst first:\n");
    print_heading(out, list);
    bool both = has_own(list, true) && has_own(list, false);
    if (has_own(list, true)) print_rows(out, net, list, true);
    if (both) bough_text_printf(out, "  without hosts of their own:\n");
    if (has_own(list, false)) print_rows(out, net, list, false);
}

static const char *percent(double share, char *buffer, size_t size) {
    snprintf(buffer, size, "%.6g%%", 100 * share);
    return buffer;
}

static double ci(const bough_stats *s) {
    return s->count > 1 ? bough_stats_ci95(s) : 0;
}

static void print_curve(bough_text *out, const bough_degradation *c) {
    char share[32];
    bough_text_put(out, "\n");
    bough_text_put_line(
        out, "%s by share, %" PRIu64 " draw%s each; means +- 95 %% interval; loads with the tables rerouted",
        c->spec, c->trials, c->trials == 1 ? "" : "s");
    bough_text_printf(out, "  %7s %17s %17s %9s %15s %15s\n", "share", "connected as is", "rerouted", "worst",
                      "all-to-all max", "mean load");
    for (size_t i = 0; i < c->count; i++) {
        const bough_degradation_step *s = &c->step[i];
        bough_text_printf(out, "  %7s %8.3f +- %5.3f %8.3f +- %5.3f %9.3f %8.5g +- %-5.2g %7.5g +- %-5.2g\n",
                          percent(s->share, share, sizeof share), 100 * s->as_is.mean, 100 * ci(&s->as_is),
                          100 * s->rerouted.mean, 100 * ci(&s->rerouted), 100 * s->worst, s->max.mean,
                          ci(&s->max), s->mean.mean, ci(&s->mean));
    }
    bough_text_printf(
        out,
        "  (connected: %% of the pairs of the whole fabric; mean load: flows on a link between switches)\n");
}

static void print_state(bough_text *out, const char *what, const bough_failure_load *m) {
    char slowdown[32];
    bough_text_printf(out, "  %-20s %9" PRIu64 " %9s %9" PRIu64 " %6" PRIu64 " %8.2f\n", what, m->pairs,
                      format_slowdown(m->slowdown, slowdown, sizeof slowdown), m->alltoall_max, m->shift_max,
                      m->shift_mean);
}

static void print_without(bough_text *out, const bough_check_failures *f) {
    uint64_t gone = f->without.gone;
    bough_text_printf(out, "\nwithout     %s\n", f->missing);
    bough_text_printf(out, "  %-20s %9s %9s %9s %6s %8s\n", "", "pairs", "slowdown", "alltoall", "shift",
                      "mean");
    print_state(out, "whole fabric", &f->whole);
    print_state(out, "tables as they are", &f->without.as_is);
    print_state(out, "tables rerouted", &f->without.rerouted);
    if (gone)
        bough_text_printf(out, "  %" PRIu64 " endpoint%s disconnected from all others\n", gone,
                          gone == 1 ? " is" : "s are");
    bough_text_printf(
        out, "  (pairs that arrive; slowdown: time of all-to-all over that of the whole fabric, hosts' links "
             "included; flows\n"
             "  on the most loaded link of all-to-all and of the worst shift; mean over shifts)\n");
}

static void print_failures(bough_text *out, const bough_routing *routing, const bough_check_failures *f) {
    const bough_net *net = routing->net;
    if (f->missing) print_without(out, f);
    if (!f->lists && !f->curves) return;
    bough_text_put(out, "\n");
    bough_text_put_line(out, "failures    %s", routing->spec);
    if (f->made)
        bough_text_printf(
            out, "  It names no tables, so bough makes minimal ones, balanced by addresses a port.\n");
    for (size_t i = 0; i < f->lists; i++) print_list(out, net, f, &f->list[i]);
    if (f->lists)
        bough_text_printf(out, "  (lost: pairs, until the tables are rerouted; cut: pairs without a path, "
                               "and no slowdown, as less is "
                               "sent; then,\n"
                               "  with rerouted tables: slowdown, the time of all-to-all over that of the "
                               "whole fabric, hosts' links\n"
                               "  included; flows on the most loaded link of all-to-all and of the worst "
                               "shift, mean over shifts)\n");
    for (size_t i = 0; i < f->curves; i++) print_curve(out, &f->curve[i]);
}

static void print_sums_heading(bough_text *out, const bough_failure_list *list) {
    bough_text_put(out, "\n");
    bough_text_put_line(out, "%-34s %9s %9s %9s %9s %8s %9s", list->spec, "lost", "at most", "slowdown",
                        "at most", "mean <=", "harmless");
}

static void print_sums(bough_text *out, const bough_routing *routing, const bough_failure_list *list) {
    sums s = sum_of(list);
    char spec[35], mean[32], most[32];
    bough_text_put_line(out, "%-34s %9.5g %9" PRIu64 " %9s %9s %8.2f %9zu",
                        check_spec_end(routing->spec, 34, spec), s.lost, list->count ? s.most->lost : 0,
                        format_slowdown(s.slowdown, mean, sizeof mean),
                        format_slowdown(s.slowest, most, sizeof most), s.shift, list->harmless);
}

static void print_comparison(bough_text *out, const bough_check_report *report, size_t list) {
    print_sums_heading(out, &report->part[0].failures.list[list]);
    for (size_t i = 0; i < report->parts; i++)
        print_sums(out, report->part[i].routing, &report->part[i].failures.list[list]);
    bough_text_printf(
        out,
        "(pairs lost by a failure, and at most; once rerouted: slowdown, and at most; the worst mean over "
        "shifts)\n");
}

void check_failures_text(bough_text *out, const bough_check_report *report) {
    for (size_t i = 0; i < report->parts; i++)
        print_failures(out, report->part[i].routing, &report->part[i].failures);
    for (size_t k = 0; k < report->part[0].failures.lists && report->parts > 1; k++)
        print_comparison(out, report, k);
}
