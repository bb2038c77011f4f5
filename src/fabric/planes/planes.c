/* Switches are united along cables. The parts that have endpoints are numbered, and for each host its
 * endpoints in each part are counted. */
#include "fabric/planes/planes.h"

#include "base/memory/memory.h"
#include "base/memory/union_find.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "formats/fabrics/fabric.h"
#include "network/hosts.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN = 20, NAME = 160 };

typedef struct search {
    const bough_net *net;
    bough_planes *planes;
    arena *memory;    /* of the planes */
    uint32_t *parent; /* [nodes] */
    uint32_t *of;     /* [nodes]: the plane of a root of parent */
    uint32_t *had;    /* [host * planes + plane] */
} search;

static bool joins_switches(const bough_net *net, uint64_t link) {
    return bough_link_alive(net, link) && bough_is_switch(net, bough_link_start(net, link)) &&
           bough_is_switch(net, net->ops->link_end(net, link).node);
}

static bool is_level(const bough_net *net, uint64_t a, uint64_t b) {
    return net->ops->node_level(net, a) == net->ops->node_level(net, b);
}

/* across: cables between switches of one level are left out. */
static void unite_all(search *s, bool across) {
    const bough_net *net = s->net;
    for (uint64_t v = 0; v < net->nodes; v++) s->parent[v] = (uint32_t)v;
    for (uint64_t l = 0; l < net->links; l++) {
        if (!joins_switches(net, l)) continue;
        uint32_t start = (uint32_t)bough_link_start(net, l), end = (uint32_t)net->ops->link_end(net, l).node;
        if (across && is_level(net, start, end)) continue;
        union_join(s->parent, start, end);
    }
}

/* The switch of an endpoint, or BOUGH_NONE. */
static uint64_t switch_of(const bough_net *net, uint64_t endpoint) {
    uint64_t link = bough_injection_link(net, endpoint);
    if (link == BOUGH_NONE || !bough_link_alive(net, link)) return BOUGH_NONE;
    return net->ops->link_end(net, link).node;
}

static bough_status number_planes(search *s, bough_error *error) {
    const bough_net *net = s->net;
    bough_planes *p = s->planes;
    bough_status status = BOUGH_OK;
    p->count = 0;
    for (uint64_t v = 0; v < net->nodes; v++) s->of[v] = UINT32_MAX;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        uint64_t v = switch_of(net, e);
        if (v != BOUGH_NONE) s->of[union_find(s->parent, (uint32_t)v)] = UINT32_MAX - 1;
    }
    for (uint64_t v = net->endpoints; v < net->nodes && !status; v++) {
        uint32_t root = union_find(s->parent, (uint32_t)v);
        if (s->of[root] == UINT32_MAX) continue;
        if (s->of[root] == UINT32_MAX - 1) {
            status = arena_grow(s->memory, &p->plane, p->count + 1, sizeof *p->plane, error);
            if (status) return status;
            s->of[root] = (uint32_t)p->count;
            p->plane[p->count++] = (bough_plane){.first = v};
        }
        p->plane[s->of[root]].switches++;
    }
    return status;
}

static uint32_t plane_of(search *s, uint64_t node) {
    return s->of[union_find(s->parent, (uint32_t)node)];
}

/* Counted by cables: each has two links. */
static uint64_t count_joining(search *s) {
    const bough_net *net = s->net;
    uint64_t links = 0;
    for (uint64_t l = 0; l < net->links; l++)
        links += joins_switches(net, l) &&
                 plane_of(s, bough_link_start(net, l)) != plane_of(s, net->ops->link_end(net, l).node);
    return (links + 1) / 2;
}

/* ---- hosts ---- */

static void add_endpoint(search *s, uint64_t endpoint) {
    const uint64_t v = switch_of(s->net, endpoint);
    if (v == BOUGH_NONE) return;
    bough_plane *plane = &s->planes->plane[plane_of(s, v)];
    plane->endpoints++;
    plane->hosts += s->had[s->net->hosts->of[endpoint] * s->planes->count + plane_of(s, v)]++ == 0;
}

/* In how many planes a host has endpoints. */
static size_t count_had(const search *s, uint32_t host) {
    size_t count = 0;
    for (size_t i = 0; i < s->planes->count; i++) count += s->had[host * s->planes->count + i] > 0;
    return count;
}

static bough_status add_lacking(search *s, uint32_t host, bough_error *error) {
    bough_planes *p = s->planes;
    bough_status status = arena_grow(s->memory, &p->lacking, p->lackings + 1, sizeof *p->lacking, error);
    if (status) return status;
    bough_lacking_host *h = &p->lacking[p->lackings++];
    const compressed_rows *endpoints = &s->net->hosts->endpoints;
    char name[NAME];
    net_host_name(s->net, endpoints->item[endpoints->first[host]], name, sizeof name);
    status = arena_copy(s->memory, &h->name, name, error);
    TRY(arena_alloc(s->memory, &h->had, p->count, sizeof *h->had, error));
    if (!status) memcpy(h->had, s->had + host * p->count, p->count * sizeof *h->had);
    return status;
}

static bough_status find_hosts(search *s, bough_error *error) {
    bough_planes *p = s->planes;
    const uint32_t hosts = s->net->hosts->count;
    bough_status status = bough_alloc(&s->had, bough_mul(hosts, p->count), sizeof *s->had, error);
    if (status) return status;
    for (uint64_t e = 0; e < s->net->hosts->endpoints.items; e++) add_endpoint(s, e);
    for (uint32_t h = 0; h < hosts; h++) {
        p->hosts += count_had(s, h) > 0;
        p->complete += count_had(s, h) == p->count;
    }
    for (uint32_t h = 0; h < hosts && 2 * p->complete > p->hosts && !status; h++)
        if (count_had(s, h) > 0 && count_had(s, h) < p->count) status = add_lacking(s, h, error);
    return status;
}

/* ---- the whole ---- */

static bough_status keep_planes(search *s, bough_error *error) {
    const bough_net *net = s->net;
    bough_status status = arena_alloc(s->memory, &s->planes->of, net->nodes, sizeof *s->planes->of, error);
    for (uint64_t v = 0; v < net->nodes && !status; v++) {
        const uint64_t at = bough_is_switch(net, v) ? v : switch_of(net, v);
        s->planes->of[v] = at == BOUGH_NONE ? BOUGH_NO_PLANE : plane_of(s, at);
    }
    return status;
}

static void count_pairs(bough_planes *p) {
    uint64_t all = 0, same = 0;
    for (size_t i = 0; i < p->count; i++) {
        all += p->plane[i].endpoints;
        same += p->plane[i].endpoints * p->plane[i].endpoints;
    }
    p->pairs = all * all - same;
}

static bough_status look(search *s, bool across, bough_error *error) {
    bough_planes *p = s->planes;
    unite_all(s, across);
    bough_status status = number_planes(s, error);
    if (status || p->count < 2 || p->count > BOUGH_PLANES_MAX) return status;
    p->joining = across ? count_joining(s) : 0;
    status = find_hosts(s, error);
    if (!status) count_pairs(p);
    return status;
}

/* Whether what joins the parts is little, and hosts have ports in all of them. */
static bool is_weak(const bough_net *net, const bough_planes *p) {
    return p->count >= 2 && p->count <= BOUGH_PLANES_MAX && 10 * p->joining <= net->cables &&
           2 * p->complete > p->hosts;
}

bough_status bough_planes_find(const bough_net *net, arena *memory, bough_planes *planes,
                               bough_error *error) {
    search s = {.net = net, .planes = planes, .memory = memory};
    bool found = false;
    *planes = (bough_planes){0};
    if (!net->hosts || net->nodes >= UINT32_MAX - 1) return BOUGH_OK;
    bough_status status = bough_alloc(&s.parent, net->nodes, sizeof *s.parent, error);
    TRY(bough_alloc(&s.of, net->nodes, sizeof *s.of, error));
    TRY(look(&s, false, error));
    if (!status && planes->count == 1) {
        status = look(&s, true, error);
        found = is_weak(net, planes);
    } else {
        found = planes->count >= 2 && planes->count <= BOUGH_PLANES_MAX;
    }
    if (!status && found) status = keep_planes(&s, error);
    FREE_ALL(s.parent, s.of, s.had);
    if (status || !found) *planes = (bough_planes){0};
    return status;
}

static size_t first_lacking(const bough_planes *p, const bough_lacking_host *h) {
    size_t i = 0;
    while (i < p->count && h->had[i]) i++;
    return i;
}

bough_status bough_planes_warn(const bough_net *net, const bough_planes *p, bough_findings *findings,
                               bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < p->lackings && i < SHOWN && !status; i++) {
        const bough_lacking_host *h = &p->lacking[i];
        size_t lacks = 0;
        for (size_t k = 0; k < p->count; k++) lacks += !h->had[k];
        status = bough_findings_add(
            findings, &(bough_finding_head){BOUGH_WARN, "missing-rail", h->name}, error,
            "has no port in plane %zu%s, where %" PRIu64 " of %" PRIu64 " hosts have one in every plane",
            first_lacking(p, h) + 1, lacks > 1 ? " and others" : "", p->complete, p->hosts);
    }
    if (status || p->lackings <= SHOWN) return status;
    return bough_findings_add(findings,
                              &(bough_finding_head){BOUGH_WARN, "missing-rail", net->fabric->source}, error,
                              "and %zu more host%s %s a rail", p->lackings - SHOWN,
                              bough_s(p->lackings - SHOWN), (p->lackings - SHOWN) == 1 ? "lacks" : "lack");
}
