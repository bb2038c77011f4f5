/* The comparison with the fabric before a change, as text. */
#include "base/text/escape.h"
#include "report/check/check_changes.h"
#include "report/check/check_render.h"

#include <inttypes.h>
#include <math.h>

enum { LINKS_SHOWN = 6 };

/* ": 3 gone, 1 new"; false where all are 0. */
static bool put_counts(bough_text *out, const change_counts *all) {
    const char *separator = ": ";
    for (const change_count *c = all->of; c < all->of + COUNTS_MAX && c->key; c++) {
        if (!c->words || !c->value) continue;
        bough_text_printf(out, "%s%" PRIu64 " %s", separator, c->value, c->words);
        separator = ", ";
    }
    return *separator == ',';
}

static void print_parts(bough_text *out, const char *what, change_counts all) {
    bough_text_printf(out, "  %-16s %" PRIu64 " before, %" PRIu64 " now", what, all.of[0].value,
                      all.of[1].value);
    bough_text_put(out, put_counts(out, &all) ? "\n" : ": the same\n");
}

static void print_load(bough_text *out, const char *what, double before, double now) {
    bough_text_printf(out, "  %-16s %.5g before, %.5g now", what, before, now);
    if (before > 0 && fabs(now - before) > 1e-9 * before)
        bough_text_printf(out, " (%+.1f %%)\n", 100 * (now / before - 1));
    else
        bough_text_printf(out, "\n");
}

static void print_links(bough_text *out, const bough_check_against *a, const bough_net *now) {
    const bough_routing_changes *r = &a->changes;
    char name[300];
    if (!r->links) return;
    bough_text_printf(out, "  %zu links between the same ports have other loads; the largest differences:\n",
                      r->links);
    for (size_t i = 0; i < r->links && i < LINKS_SHOWN; i++)
        bough_text_printf(out, "    %7.5g -> %-7.5g %s\n", r->link[i].before, r->link[i].now,
                          bough_link_name(now, r->link[i].link, name, sizeof name));
}

static void print_routing(bough_text *out, const bough_check_against *a, const bough_routing *routing,
                          const bough_check_result *after) {
    const bough_routing_changes *r = &a->changes;
    const change_counts pairs = change_count_pairs(r);
    if (!a->routed) {
        bough_text_printf(out, "  routing          not compared: %s\n", a->why);
        return;
    }
    if (r->paths) {
        bough_text_printf(out, "  paths            %" PRIu64 " pairs of %" PRIu64 " endpoints in both",
                          r->pairs, r->endpoints);
        put_counts(out, &pairs);
        bough_text_printf(out, "\n");
        if (r->longer || r->shorter)
            bough_text_printf(out,
                              "                   of another way %" PRIu64 " longer, %" PRIu64 " shorter\n",
                              r->longer, r->shorter);
    }
    print_load(out, "all-to-all", r->before.alltoall_max, after->alltoall_max);
    print_load(out, "worst shift", r->before.shift_max, after->shift_max);
    print_load(out, "shifts, mean", r->before.shift_mean, after->shift_mean);
    print_links(out, a, routing->net);
}

static void print_verdict(bough_text *out, const bough_check_against *a) {
    uint64_t count[3] = {0};
    for (size_t i = 0; i < a->findings.count; i++) count[a->findings.item[i].severity]++;
    if (!a->findings.count)
        bough_text_printf(out, "  nothing has changed\n");
    else if (count[BOUGH_ERROR])
        bough_text_printf(out, "  verdict          worse: pairs are lost\n");
    else if (count[BOUGH_WARN])
        bough_text_printf(out, "  verdict          worse: %" PRIu64 " warning%s among the findings\n",
                          count[BOUGH_WARN], count[BOUGH_WARN] == 1 ? "" : "s");
    else
        bough_text_printf(out, "  verdict          nothing is worse\n");
}

void check_old_fabric_text(bough_text *out, const bough_check_report *report) {
    const bough_check_against *a = &report->against;
    const bough_routing_report *part = &report->part[0];
    if (!a->asked) return;
    bough_text_put(out, "\n");
    bough_text_put_line(out, "against     %s%s%s", a->old->fabric->source, a->routing ? ", " : "",
                        a->routing ? a->routing->spec : "");
    print_parts(out, "hosts", change_count_nodes(&a->fabric.host));
    print_parts(out, "switches", change_count_nodes(&a->fabric.other));
    print_parts(out, "cables to hosts", change_count_cables(&a->fabric.access));
    print_parts(out, "cables between", change_count_cables(&a->fabric.inner));
    print_routing(out, a, part->routing, &part->result);
    print_verdict(out, a);
}
