/* Two routings of two recordings of a fabric: pairs with other paths, and links with other loads. */
#include "base/status/stop.h"
#include "base/status/try.h"
#include "fabric/changes/changes.h"
#include "fabric/changes/changes_match.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { PATH_LIMIT = 256 };

typedef struct compare {
    const bough_routing *old, *now;
    const bough_check_options *options;
    const bough_check_result *after; /* of the check of now */
    changes_same same;               /* from the new fabric to the old one */
    uint32_t *old_link;              /* [link of the new net]: from the same port, or BOUGH_NO_INDEX */
    uint32_t *old_end;               /* [endpoint of the new net]: or BOUGH_NO_INDEX */
    uint64_t source, target;         /* the first pair that is lost */
    bool reordered;                  /* endpoints stand in another order than before */
    bool renumbered; /* GUIDs are others than before, or endpoints stand at other places among LIDs */
    bough_routing_changes *r;
    bough_findings *findings;
    bough_error *error;
} compare;

static bough_status match(compare *c) {
    bough_error *error = c->error;
    const bough_net *old = c->old->net, *now = c->now->net;
    uint32_t *link_of = NULL; /* [port of the old fabric] */
    arena *a = &c->same.memory;
    bough_status status = arena_alloc(a, &c->old_link, now->links, sizeof *c->old_link, error);
    TRY(arena_alloc(a, &c->old_end, now->endpoints, sizeof *c->old_end, error));
    TRY(arena_alloc(a, &link_of, old->fabric->port_count, sizeof *link_of, error));
    TRY(changes_match(now->fabric, old->fabric, &c->same, error));
    for (uint32_t p = 0; p < old->fabric->port_count && !status; p++) link_of[p] = BOUGH_NO_INDEX;
    for (uint64_t l = 0; l < old->links && !status; l++) link_of[bough_net_fabric_port(old, l)] = (uint32_t)l;
    for (uint64_t l = 0; l < now->links && !status; l++) {
        uint32_t port = c->same.port[bough_net_fabric_port(now, l)];
        c->old_link[l] = port == BOUGH_NO_INDEX ? BOUGH_NO_INDEX : link_of[port];
    }
    /* An endpoint is a port of an adapter, with the one link that leaves it. */
    uint64_t last = 0;
    for (uint64_t e = 0; e < now->endpoints && !status; e++) {
        uint64_t out = bough_injection_link(now, e);
        uint32_t link = c->old_link[out];
        uint64_t from = link == BOUGH_NO_INDEX ? BOUGH_NONE : bough_link_start(old, link);
        c->old_end[e] = from < old->endpoints ? (uint32_t)from : BOUGH_NO_INDEX;
        if (from >= old->endpoints) continue;
        c->reordered |= from < last;
        last = from;
        c->r->endpoints++;
    }
    for (uint32_t v = 0; v < now->fabric->node_count && !status; v++) {
        uint32_t was = c->same.node[v];
        c->renumbered |= was != BOUGH_NO_INDEX && now->fabric->node[v].guid != old->fabric->node[was].guid;
    }
    for (uint64_t e = 0; e < now->endpoints && !status; e++)
        c->renumbered |= c->old_end[e] != BOUGH_NO_INDEX &&
                         bough_endpoint_address(now, e) != bough_endpoint_address(old, c->old_end[e]);
    return status;
}

static int path_of(const bough_routing *r, uint64_t source, uint64_t target, uint64_t *path) {
    bough_flow flow = {source, bough_endpoint_address(r->net, target), 0};
    const int length = bough_path(r, &flow, path, PATH_LIMIT);
    return length > 0 ? length : 0;
}

static bool same_path(const compare *c, const uint64_t *old, const uint64_t *now, int length) {
    for (int i = 0; i < length; i++)
        if (c->old_link[now[i]] != old[i]) return false;
    return true;
}

static void compare_pair(compare *c, uint64_t source, uint64_t target) {
    uint64_t old[PATH_LIMIT], now[PATH_LIMIT];
    bough_routing_changes *r = c->r;
    int before = path_of(c->old, c->old_end[source], c->old_end[target], old);
    int after = path_of(c->now, source, target, now);
    r->pairs++;
    if (!before || !after) {
        r->unrouted += !before && !after;
        r->restored += !before && after;
        if (before && !after && !r->lost++) c->source = source, c->target = target;
    } else if (before == after && same_path(c, old, now, after)) {
        r->same++;
    } else {
        r->other++;
        r->longer += after > before;
        r->shorter += after < before;
    }
}

static bough_status compare_pairs(compare *c) {
    uint64_t n = c->now->net->endpoints;
    for (uint64_t s = 0; s < n; s++) {
        bough_status status = stop_check(c->options->stop, c->error);
        if (status) return status;
        for (uint64_t t = 0; t < n && c->old_end[s] != BOUGH_NO_INDEX; t++)
            if (s != t && c->old_end[t] != BOUGH_NO_INDEX) compare_pair(c, s, t);
    }
    return BOUGH_OK;
}

/* ---- loads ---- */

static int by_difference(const void *a, const void *b) {
    const bough_load_change *x = a, *y = b;
    double p = fabs(x->now - x->before), q = fabs(y->now - y->before);
    if (p != q) return p < q ? 1 : -1;
    return (x->link > y->link) - (x->link < y->link);
}

static bough_status compare_loads(compare *c) {
    const bough_net *now = c->now->net;
    bough_routing_changes *r = c->r;
    bough_status status = arena_alloc(c->options->memory, &r->link, now->links, sizeof *r->link, c->error);
    for (uint64_t l = 0; l < now->links && !status; l++) {
        if (c->old_link[l] == BOUGH_NO_INDEX) continue;
        double before = r->before.load[c->old_link[l]];
        if (fabs(c->after->load[l] - before) < 1e-9 * (1 + before)) continue;
        r->link[r->links++] = (bough_load_change){l, before, c->after->load[l]};
    }
    if (!status && r->links) qsort(r->link, r->links, sizeof *r->link, by_difference);
    return status;
}

/* ---- findings ---- */

static bough_status report_pairs(const compare *c) {
    const bough_routing_changes *r = c->r;
    const char *where = c->now->spec;
    char from[128], to[128];
    bough_status status = BOUGH_OK;
    if (r->lost)
        status = bough_findings_add(
            c->findings, &(bough_finding_head){BOUGH_ERROR, "pairs-lost", where}, c->error,
            "%" PRIu64 " of %" PRIu64 " pairs were routed and are not any more, for example %s to %s",
            r->lost, r->pairs, bough_node_name(c->now->net, c->source, from, sizeof from),
            bough_node_name(c->now->net, c->target, to, sizeof to));
    if (!status && r->restored)
        status = bough_findings_add(c->findings, &(bough_finding_head){BOUGH_INFO, "pairs-restored", where},
                                    c->error, "%" PRIu64 " of %" PRIu64 " pairs were not routed and are now",
                                    r->restored, r->pairs);
    if (!status && r->other)
        status =
            bough_findings_add(c->findings, &(bough_finding_head){BOUGH_INFO, "other-paths", where}, c->error,
                               "%" PRIu64 " of %" PRIu64 " pairs take another path, %" PRIu64 " a longer one",
                               r->other, r->pairs, r->longer);
    return status;
}

static bool differ(double before, double now) {
    return fabs(now - before) > 1e-9 * (1 + before);
}

/* Why a larger load is not a change for the worse; NULL: it is one. */
static const char *excuse(const compare *c) {
    const bough_net *old = c->old->net, *now = c->now->net;
    bool computed = c->r->paths && !(c->now->kind->needs & BOUGH_HAS_TABLES);
    if (c->r->endpoints < old->endpoints || c->r->endpoints < now->endpoints)
        return "; the hosts are not those of before";
    return computed && c->renumbered ? "; GUIDs or LIDs are not those of before, by which ties are broken"
                                     : NULL;
}

static bough_status report_load(const compare *c, const char *what, double before, double now) {
    if (!differ(before, now)) return BOUGH_OK;
    bool worse = now > before;
    const char *why = excuse(c);
    return bough_findings_add(c->findings,
                              &(bough_finding_head){worse && !why ? BOUGH_WARN : BOUGH_INFO,
                                                    worse ? "heavier-load" : "lighter-load", c->now->spec},
                              c->error, "%s: %.5g flows on the most loaded link, %.5g before (%+.1f %%%s)",
                              what, now, before, before > 0 ? 100 * (now / before - 1) : 0, why ? why : "");
}

/* Of its slowest link, in flows over Gb/s. */
static double alltoall_time(const bough_net *net, const bough_check_result *r) {
    return r->alltoall_max > 0
               ? r->load[r->alltoall_limit] / ((double)bough_net_link_rate(net, r->alltoall_limit) / 1e9)
               : 0;
}

/* Where rates differ, or have changed, flows say little. */
static bough_status report_time(const compare *c) {
    const bough_net *old = c->old->net, *now = c->now->net;
    const bough_check_result *r = c->after;
    const double before = alltoall_time(old, &c->r->before), after = alltoall_time(now, r);
    char name[300];
    if (!(before > 0) || !(after > 0) || !differ(before, after)) return BOUGH_OK;
    if (!differ(after / before, r->alltoall_max / c->r->before.alltoall_max))
        return BOUGH_OK; /* said in flows */
    const bool worse = after > before;
    const char *why = excuse(c);
    return bough_findings_add(
        c->findings,
        &(bough_finding_head){worse && !why ? BOUGH_WARN : BOUGH_INFO, worse ? "longer-time" : "shorter-time",
                              c->now->spec},
        c->error, "all-to-all takes %.4g times as long, by %s: %.5g flows at %.5g Gb/s%s", after / before,
        bough_link_name(now, r->alltoall_limit, name, sizeof name), r->load[r->alltoall_limit],
        (double)bough_net_link_rate(now, r->alltoall_limit) / 1e9, why ? why : "");
}

/* In another order of endpoints shifts are other patterns, so their loads are not compared. */
static bough_status report_order(const compare *c) {
    const bough_check_result *before = &c->r->before, *after = c->after;
    if (!differ(before->shift_max, after->shift_max) && !differ(before->shift_mean, after->shift_mean))
        return BOUGH_OK;
    return bough_findings_add(c->findings, &(bough_finding_head){BOUGH_INFO, "other-order", c->now->spec},
                              c->error,
                              "the order of hosts has changed, so shifts differ; compare "
                              "them with --order %s",
                              c->same.by_name ? "name" : "guid or name");
}

static bough_status report_loads(const compare *c) {
    const bough_check_result *before = &c->r->before, *after = c->after;
    bough_status status = report_load(c, "all-to-all", before->alltoall_max, after->alltoall_max);
    TRY(report_time(c));
    if (!status && c->reordered) return report_order(c);
    TRY(report_load(c, "the worst shift", before->shift_max, after->shift_max));
    TRY(report_load(c, "shifts on average", before->shift_mean, after->shift_mean));
    return status;
}

bough_status bough_routing_compare(const bough_routing_comparison *what, bough_routing_changes *changes,
                                   bough_findings *findings, bough_error *error) {
    const bough_routing *old = what->old, *now = what->now;
    compare c = {.old = old,
                 .now = now,
                 .options = what->options,
                 .after = what->after,
                 .r = changes,
                 .findings = findings,
                 .error = error};
    bough_findings unused = {0}; /* findings about the old routing alone */
    *changes = (bough_routing_changes){0};
    if (!old->net->fabric || !now->net->fabric)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "only fabrics have GUIDs to compare them by");
    changes->paths = bough_routing_deterministic(old) && bough_routing_deterministic(now);
    bough_status status = bough_check_routing(old, what->options, &changes->before, &unused, error);
    TRY(match(&c));
    if (changes->paths) TRY(compare_pairs(&c));
    TRY(compare_loads(&c));
    TRY(report_pairs(&c));
    TRY(report_loads(&c));
    bough_findings_fini(&unused);
    arena_fini(&c.same.memory);
    if (status) *changes = (bough_routing_changes){0};
    return status;
}
