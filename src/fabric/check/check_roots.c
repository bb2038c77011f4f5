/* A switch with a few endpoints, nothing above it, and more cables to switches of its own level is likely a
 * spine that a storage or management node was plugged into. Levels are counted from the endpoints, so its
 * level comes out too low, and `updn` does not take it for a root. What that costs is found by routing twice.
 */
#include "fabric/check/check_roots.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "network/node_identifiers.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20, ROOTS = 64 };

/* The cables of a switch: to endpoints, to switches of its level, and to those above. */
typedef struct around {
    uint64_t below, beside, above;
} around;

static around look_around(const bough_net *net, uint64_t v) {
    around a = {0};
    const unsigned level = net->ops->node_level(net, v);
    for (node_links at = node_links_of(net, v); node_links_next(&at);) {
        if (!bough_link_alive(net, at.link)) continue;
        const uint64_t to = net->ops->link_end(net, at.link).node;
        const int direction = bough_level_order(level, net->ops->node_level(net, to));
        a.below += to < net->endpoints;
        a.beside += direction == 0;
        a.above += direction > 0;
    }
    return a;
}

static bool is_low(around a) {
    return !a.above && a.below && a.beside > a.below;
}

static bool is_low_spine(const bough_net *net, uint64_t v) {
    return bough_is_switch(net, v) && is_low(look_around(net, v));
}

static bool is_root(const bough_net *net, uint64_t v) {
    bool top = net->levels > 1 && net->ops->node_level(net, v) == net->levels && bough_is_switch(net, v) &&
               net->ops->node_group_count(net, v);
    return top || is_low_spine(net, v);
}

/* Names, unless one of them would need quoting inside quotes. */
static char *list_roots(const bough_net *net, uint64_t *count) {
    bough_text out = {0};
    bool guids = false;
    char name[160];
    for (uint64_t v = net->endpoints; v < net->nodes; v++)
        if (is_root(net, v))
            guids = guids || strpbrk(bough_node_name(net, v, name, sizeof name), ",\"'\\`$!#");
    bough_text_put(&out, "updn:roots=\"");
    for (uint64_t v = net->endpoints; v < net->nodes; v++) {
        if (!is_root(net, v)) continue;
        if ((*count)++) bough_text_put(&out, ",");
        if (guids)
            bough_text_printf(&out, "0x%016" PRIx64, net_node_guid(net, v));
        else
            bough_text_put(&out, bough_node_name(net, v, name, sizeof name));
    }
    bough_text_put(&out, "\"");
    return bough_text_take(&out);
}

static bough_status try_roots(const bough_check_options *options, const bough_net *net, const char *spec,
                              bough_check_result *result, bough_error *error) {
    bough_routing *routing = NULL;
    bough_findings findings = {0};
    bough_check_options o = *options;
    o.permutations = 0;
    bough_status status = bough_routing_create(net, spec, &routing, error);
    TRY(bough_check_routing(routing, &o, result, &findings, error));
    bough_findings_fini(&findings);
    bough_routing_destroy(routing);
    return status;
}

static bough_status try_both(check_progress *progress, const bough_check_options *options,
                             bough_check_report *report, bough_error *error) {
    bough_check_spines *s = &report->spines;
    bough_check_result own = {0}, better = {0};
    uint64_t roots = 0;
    s->roots = list_roots(report->net, &roots);
    if (!s->roots) return bough_fail_memory(error, 256);
    if (roots > ROOTS) return BOUGH_OK;
    check_progress_begin(progress, CHECK_ROOTS);
    bough_status status = try_roots(options, report->net, "updn", &own, error);
    check_progress_begin(progress, CHECK_ROOTS);
    TRY(try_roots(options, report->net, s->roots, &better, error));
    if (!status) {
        s->tried = true;
        s->score = own.alltoall_score;
        s->roots_score = better.alltoall_score;
        s->unrouted = better.pairs - better.routed;
    }
    bough_check_fini(&own);
    bough_check_fini(&better);
    return status;
}

static bough_status warn(bough_check_report *report, uint64_t v, bough_error *error) {
    const bough_check_spines *s = &report->spines;
    const bough_net *net = report->net;
    around a = look_around(net, v);
    bough_text effect = {0};
    char name[160];
    if (s->tried) {
        bough_text_printf(
            &effect,
            " Then --routing '%s' is what OpenSM does: all-to-all reaches %.1f %% of the ideal, and %.1f "
            "%% with the roots that updn chooses",
            s->roots, 100 * s->roots_score, 100 * s->score);
        if (s->unrouted) bough_text_printf(&effect, "; %" PRIu64 " pairs then have no route", s->unrouted);
    }
    char *text = bough_text_take(&effect);
    bough_status status = s->tried && !text ? bough_fail_memory(error, 256) : BOUGH_OK;
    TRY(bough_findings_add(&report->wiring,
                           &(bough_finding_head){BOUGH_WARN, "endpoints-above-leaves",
                                                 bough_node_name(net, v, name, sizeof name)},
                           error,
                           "has %" PRIu64 " endpoint%s and %" PRIu64
                           " cables to switches that have endpoints too; is it a spine?%s",
                           a.below, a.below == 1 ? "" : "s", a.beside, text ? text : ""));
    free(text);
    return status;
}

uint64_t check_roots_count(const bough_net *net) {
    uint64_t with_endpoints = 0, count = 0;
    for (uint64_t v = net->endpoints; v < net->nodes; v++) {
        if (!bough_is_switch(net, v)) continue;
        const around a = look_around(net, v);
        with_endpoints += a.below > 0;
        count += is_low(a);
    }
    return 2 * count >= with_endpoints ? 0 : count; /* in a ring or a mesh all switches are alike */
}

bough_status check_roots_find(check_progress *progress, const bough_check_options *options,
                              bough_check_report *report, bough_error *error) {
    const bough_net *net = report->net;
    bough_check_spines *s = &report->spines;
    s->count = check_roots_count(net);
    if (!s->count) return BOUGH_OK;
    bough_status status = try_both(progress, options, report, error);
    uint64_t shown = 0;
    for (uint64_t v = net->endpoints; v < net->nodes && shown < SHOWN && !status; v++) {
        if (!is_low_spine(net, v)) continue;
        shown++;
        status = warn(report, v, error);
    }
    return status;
}

void check_roots_fini(bough_check_spines *spines) {
    free(spines->roots);
    *spines = (bough_check_spines){0};
}
