/* Platforms of SimGrid, version 4: zones with hosts, routers, links and routes, and clusters.
 *
 *   <platform version="4.1">
 *     <zone id="z" routing="Floyd">
 *       <host id="a" speed="1Gf"/> <router id="r"/>
 *       <link id="l" bandwidth="125MBps" latency="50us"/>
 *       <route src="a" dst="r"><link_ctn id="l"/></route>
 *
 * Links have no ends there: routes say in which order they are passed. So every link has two ends of its own,
 * and a route says which ends, hosts and routers are at one place; a place without a name is a switch. A
 * route of one link joins its ends to the source and the destination; a longer route does so if the direction
 * of every link is known: it is that of the route (symmetrical="NO", as bough writes), or the opposite one if
 * earlier routes say so, or stated (UP and DOWN of SPLITDUPLEX). Two links in opposite directions between two
 * places are a cable. The routes themselves are not used. */
#include "base/memory/memory.h"
#include "base/memory/union_find.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "formats/fabrics/simgrid/simgrid_cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 160, ZONES_MAX = 100 };

/* Directions of a link: the first way that it is used, and back. Of a cable both are one link. */
typedef struct link {
    char *id;
    uint64_t rate, delay;
    uint32_t end; /* its ends are the places end and end + 1; with `split`, those of the way back are end + 2
                     and + 3 */
    uint32_t line;
    bool split, used, back; /* back: it is used both ways */
} link;

typedef struct zone {
    bool cluster;   /* routing="Cluster" */
    uint32_t place; /* of its switch; UINT32_MAX: none yet */
} zone;

/* A link of a route. */
typedef struct passed {
    uint32_t link;
    bool down; /* the other way */
    bool known;
} passed;

typedef struct reader {
    bough_cables cables;
    bough_error *error;
    link *link;
    size_t links;
    bough_name_map names; /* of links */
    uint32_t *parent;     /* [places]: of union_find */
    uint32_t *named;      /* [places]: of a set, its node; UINT32_MAX: none */
    size_t places, named_places;
    uint32_t *place; /* [nodes]: UINT32_MAX: none yet */
    size_t place_nodes;
    zone zone[ZONES_MAX];
    unsigned depth;
    bool routes; /* within a route */
    bool bypass; /* within one that another pair of nodes or zones takes instead: not read */
    char src[TEXT], dst[TEXT];
    bool symmetric;
    passed *pass;
    size_t passes;
    uint64_t shared; /* links that both directions share in SimGrid */
} reader;

static arena *memory_of(reader *r) {
    return &r->cables.parsed->memory;
}

/* ---- places ---- */

static bough_status add_places(reader *r, uint32_t count, uint32_t *first) {
    bough_status status =
        arena_grow(memory_of(r), &r->parent, r->places + count, sizeof *r->parent, r->error);
    TRY(arena_grow(memory_of(r), &r->named, r->places + count, sizeof *r->named, r->error));
    if (status) return status;
    *first = (uint32_t)r->places;
    for (uint32_t i = 0; i < count; i++, r->places++) {
        r->parent[r->places] = (uint32_t)r->places;
        r->named[r->places] = UINT32_MAX;
    }
    return BOUGH_OK;
}

static bough_status join(reader *r, xml_file *x, uint32_t a, uint32_t b) {
    a = union_find(r->parent, a);
    b = union_find(r->parent, b);
    if (a == b) return BOUGH_OK;
    const uint32_t one = r->named[a], other = r->named[b];
    if (one != UINT32_MAX && other != UINT32_MAX)
        return xml_fail(
            x, "by this, and routes before it, a link joins more than two nodes; shared media are not "
               "supported");
    union_join(r->parent, a, b);
    r->named[union_find(r->parent, a)] = one != UINT32_MAX ? one : other;
    return BOUGH_OK;
}

static bough_status place_of(reader *r, xml_file *x, const char *name, uint32_t *place) {
    const uint32_t node = bough_name_map_get(&r->cables.names, name, strlen(name));
    if (node == BOUGH_NO_INDEX) return xml_fail(x, "no host or router '%.80s' is declared", name);
    const size_t nodes = r->cables.parsed->node_count;
    bough_status status = arena_grow(memory_of(r), &r->place, nodes, sizeof *r->place, r->error);
    if (status) return status;
    while (r->place_nodes < nodes) r->place[r->place_nodes++] = UINT32_MAX;
    if (r->place[node] == UINT32_MAX) {
        status = add_places(r, 1, &r->place[node]);
        if (!status) r->named[r->place[node]] = node;
    }
    *place = r->place[node];
    return status;
}

static uint32_t start_of(const link *l, bool down) {
    return l->end + (down ? l->split ? 2 : 1 : 0);
}

static uint32_t end_of(const link *l, bool down) {
    return l->end + (down ? l->split ? 3 : 0 : 1);
}

/* ---- elements ---- */

static bough_status need(xml_file *x, const char *key, char text[TEXT]) {
    return xml_copy(x, key, text, TEXT) && *text ? BOUGH_OK : xml_fail(x, "%s= is missing", key);
}

static bough_status read_platform(reader *r, xml_file *x) {
    char version[TEXT];
    (void)r;
    bough_status status = need(x, "version", version);
    if (!status && strtod(version, NULL) < 4)
        status = xml_fail(x, "version %.20s of platforms; expected 4 or later: simgrid_update_xml converts",
                          version);
    return status;
}

static bough_status begin_zone(reader *r, xml_file *x) {
    static const char *const known[] = {"Full", "Floyd",   "Dijkstra", "DijkstraCache",
                                        "None", "Cluster", "Star"};
    char routing[TEXT];
    bough_status status = need(x, "routing", routing);
    size_t i = 0;
    while (i < sizeof known / sizeof *known && strcmp(known[i], routing) != 0) i++;
    if (!status && i == sizeof known / sizeof *known)
        status = xml_fail(
            x, "zones of routing %.40s are not supported; expected Full, Floyd, Dijkstra, Cluster or None",
            routing);
    if (!status && r->depth == ZONES_MAX) status = xml_fail(x, "zones within 100 others");
    if (!status) r->zone[r->depth++] = (zone){strcmp(routing, "Cluster") == 0, UINT32_MAX};
    return status;
}

/* The switch of a zone of routing Cluster. */
static bough_status zone_place(reader *r, xml_file *x, uint32_t *place) {
    zone *z = r->depth ? &r->zone[r->depth - 1] : NULL;
    if (!z || !z->cluster) return xml_fail(x, "a host_link outside of a zone of routing Cluster");
    bough_status status = z->place == UINT32_MAX ? add_places(r, 1, &z->place) : BOUGH_OK;
    *place = z->place;
    return status;
}

static bough_status add_node(reader *r, xml_file *x, bool host) {
    char id[TEXT];
    uint32_t node, own, place;
    const size_t before = r->cables.parsed->node_count;
    bough_status status = need(x, "id", id);
    TRY(bough_cables_node(&r->cables, (bough_slice){id, strlen(id)}, xml_line(x), &node));
    if (!status && r->cables.parsed->node_count == before) status = xml_fail(x, "a second node '%.80s'", id);
    if (status) return status;
    r->cables.node[node].kind = host ? BOUGH_CABLE_HOST : BOUGH_CABLE_SWITCH;
    if (host || !r->depth || !r->zone[r->depth - 1].cluster) return BOUGH_OK;
    status = zone_place(r, x, &place); /* its router */
    TRY(place_of(r, x, id, &own));
    TRY(join(r, x, own, place));
    return status;
}

static bough_status read_host(reader *r, xml_file *x) {
    return add_node(r, x, true);
}

static bough_status read_router(reader *r, xml_file *x) {
    return add_node(r, x, false);
}

static bough_status read_link(reader *r, xml_file *x) {
    char id[TEXT], text[TEXT];
    link l = {.line = xml_line(x)};
    bough_status status = need(x, "id", id);
    TRY(need(x, "bandwidth", text));
    if (!status && !simgrid_rate(text, &l.rate))
        return xml_fail(x, "bandwidth=\"%.40s\" is no rate; expected 125MBps, 1Gbps, or bytes a second",
                        text);
    if (!status && xml_copy(x, "latency", text, sizeof text) && !simgrid_time(text, &l.delay))
        return xml_fail(x, "latency=\"%.40s\" is no time; expected one with its unit, as 50us", text);
    if (!status && bough_name_map_get(&r->names, id, strlen(id)) != BOUGH_NO_INDEX)
        status = xml_fail(x, "a second link '%.80s'", id);
    xml_copy(x, "sharing_policy", text, sizeof text);
    l.split = strcmp(text, "SPLITDUPLEX") == 0;
    TRY(add_places(r, l.split ? 4 : 2, &l.end));
    TRY(arena_copy(memory_of(r), &l.id, id, r->error));
    TRY(arena_grow(memory_of(r), &r->link, r->links + 1, sizeof *r->link, r->error));
    TRY(bough_name_map_add(&r->names, l.id, strlen(l.id), (uint32_t)r->links, r->error));
    if (!status && l.split) { /* its directions are a cable */
        status = join(r, x, start_of(&l, true), end_of(&l, false));
        TRY(join(r, x, end_of(&l, true), start_of(&l, false)));
        l.back = true;
    }
    if (!status) r->link[r->links++] = l;
    return status;
}

static bool ends_in(const char *text, const char *end) {
    return strlen(text) > strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* The directions of a link l of SPLITDUPLEX may be named as l_UP and l_DOWN, too. */
static bough_status find_link(reader *r, xml_file *x, const char *id, uint32_t *found) {
    *found = bough_name_map_get(&r->names, id, strlen(id));
    if (*found == BOUGH_NO_INDEX && (ends_in(id, "_UP") || ends_in(id, "_DOWN"))) {
        *found = bough_name_map_get(&r->names, id, (size_t)(strrchr(id, '_') - id));
        if (*found != BOUGH_NO_INDEX && !r->link[*found].split) *found = BOUGH_NO_INDEX;
    }
    return *found != BOUGH_NO_INDEX ? BOUGH_OK : xml_fail(x, "no link '%.80s' is declared", id);
}

static bough_status read_host_link(reader *r, xml_file *x) {
    char id[TEXT], up[TEXT];
    uint32_t host, place = 0, number;
    bough_status status = need(x, "id", id);
    TRY(need(x, "up", up));
    TRY(place_of(r, x, id, &host));
    TRY(zone_place(r, x, &place));
    TRY(find_link(r, x, up, &number));
    if (status) return status;
    link *l = &r->link[number];
    l->used = l->back = true;
    status = join(r, x, start_of(l, false), host);
    TRY(join(r, x, end_of(l, false), place));
    return status;
}

/* A host of a cabinet has a link to the switch of the zone. */
static bough_status join_cabinet_host(reader *r, xml_file *x, link l, uint32_t node) {
    uint32_t host = 0, place = 0;
    bough_status status = place_of(r, x, r->cables.parsed->node[node].description, &host);
    TRY(zone_place(r, x, &place));
    TRY(add_places(r, 2, &l.end));
    TRY(arena_grow(memory_of(r), &r->link, r->links + 1, sizeof *r->link, r->error));
    TRY(join(r, x, start_of(&l, false), host));
    TRY(join(r, x, end_of(&l, false), place));
    if (!status) r->link[r->links++] = l;
    return status;
}

static bough_status read_cabinet(reader *r, xml_file *x) {
    simgrid_cabinet cabinet = {0};
    if (!r->depth || !r->zone[r->depth - 1].cluster)
        return xml_fail(x, "a cabinet outside of a zone of routing Cluster");
    bough_status status = simgrid_read_cabinet(x, &r->cables, &cabinet);
    const link l = {
        .rate = cabinet.rate, .delay = cabinet.delay, .line = xml_line(x), .used = true, .back = true};
    for (size_t i = 0; i < cabinet.hosts && !status; i++)
        status = join_cabinet_host(r, x, l, cabinet.host[i]);
    return status;
}

static bough_status read_backbone(reader *r, xml_file *x) {
    (void)x;
    bough_log_finding(&r->cables.parsed->log, &(bough_finding_head){BOUGH_INFO, "backbone"},
                      "the backbone of a zone is left out: its switch has no limit");
    return BOUGH_OK;
}

static bough_status read_cluster(reader *r, xml_file *x) {
    return simgrid_read_cluster(x, &r->cables);
}

/* ---- routes ---- */

static bough_status begin_route(reader *r, xml_file *x) {
    const bool zones = !xml_begins(x, "route");
    char symmetric[TEXT];
    bough_status status = need(x, zones ? "gw_src" : "src", r->src);
    TRY(need(x, zones ? "gw_dst" : "dst", r->dst));
    xml_copy(x, "symmetrical", symmetric, sizeof symmetric);
    r->symmetric = strcmp(symmetric, "NO") != 0 && strcmp(symmetric, "no") != 0;
    r->routes = true;
    r->passes = 0;
    return status;
}

static bough_status pass_link(reader *r, xml_file *x) {
    char id[TEXT], direction[TEXT];
    uint32_t number;
    if (r->bypass) return BOUGH_OK;
    if (!r->routes) return xml_fail(x, "a link_ctn outside of a route");
    bough_status status = need(x, "id", id);
    TRY(find_link(r, x, id, &number));
    TRY(arena_grow(memory_of(r), &r->pass, r->passes + 1, sizeof *r->pass, r->error));
    if (status) return status;
    xml_copy(x, "direction", direction, sizeof direction);
    const bool split = r->link[number].split;
    r->pass[r->passes++] =
        (passed){number, split && (strcmp(direction, "DOWN") == 0 || ends_in(id, "_DOWN")), split};
    return BOUGH_OK;
}

/* ---- which way the links of a route are passed, where routes before it have joined their ends ---- */

static bool is_at(reader *r, uint32_t a, uint32_t b) {
    return union_find(r->parent, a) == union_find(r->parent, b);
}

/* A link whose first way begins, or ends, at a place. */
static void orient(reader *r, passed *p, uint32_t place, bool ends) {
    const link *l = &r->link[p->link];
    const uint32_t start = start_of(l, false), end = end_of(l, false);
    if (p->known || !l->used) return;
    p->down = is_at(r, ends ? start : end, place) && !is_at(r, ends ? end : start, place);
    p->known = p->down || is_at(r, ends ? end : start, place);
}

static void orient_all(reader *r, uint32_t from, uint32_t to) {
    bool known = true;
    for (size_t i = 0; i < r->passes; i++) {
        passed *p = &r->pass[i];
        if (known) orient(r, p, from, false);
        known = p->known;
        from = end_of(&r->link[p->link], p->down);
    }
    known = true;
    for (size_t i = r->passes; i-- > 0;) {
        passed *p = &r->pass[i];
        if (known) orient(r, p, to, true);
        known = p->known;
        to = start_of(&r->link[p->link], p->down);
    }
}

static bough_status check_passed(const reader *r, xml_file *x) {
    if (r->passes == 0) return xml_fail(x, "a route without links");
    for (size_t i = 0; i < r->passes && r->passes > 1 && r->symmetric; i++)
        if (!r->link[r->pass[i].link].split)
            return xml_fail(
                x,
                "the route does not say which nodes its %zu links join; expected routes of one link "
                "between neighbours, or a cluster",
                r->passes);
    return BOUGH_OK;
}

static bough_status end_route(reader *r, xml_file *x) {
    uint32_t at, to;
    bough_status status = place_of(r, x, r->src, &at);
    TRY(place_of(r, x, r->dst, &to));
    TRY(check_passed(r, x));
    if (strcmp(r->src, r->dst) == 0) r->passes = 0; /* loopback, which is no cable */
    if (!status) orient_all(r, at, to);
    for (size_t i = 0; i < r->passes && !status; i++) {
        const passed *p = &r->pass[i];
        link *l = &r->link[p->link];
        const bool both = !l->split && (r->symmetric || p->down);
        status = join(r, x, at, start_of(l, p->down));
        at = end_of(l, p->down);
        r->shared += both && !l->back;
        l->back |= both;
        l->used = true;
        if (!status && i + 1 < r->passes && is_at(r, at, to))
            status = xml_fail(x,
                              "the route is at '%.80s' before its last link; expected links that lead from "
                              "place to place, each with two ends",
                              r->dst);
    }
    TRY(join(r, x, at, to));
    r->routes = false;
    return status;
}

static bough_status read_node(void *context, xml_file *x) {
    static const struct {
        const char *name;
        bough_status (*begin)(reader *r, xml_file *x);
    } elements[] = {
        {"platform", read_platform}, {"zone", begin_zone},      {"host", read_host},
        {"router", read_router},     {"link", read_link},       {"host_link", read_host_link},
        {"backbone", read_backbone}, {"cluster", read_cluster}, {"route", begin_route},
        {"zoneRoute", begin_route},  {"link_ctn", pass_link},   {"AS", begin_zone},
        {"ASroute", begin_route},    {"cabinet", read_cabinet}}; /* zones as version 4.0 calls them, too */
    static const char *const bypasses[] = {"bypassRoute", "bypassZoneRoute", "bypassASroute"};
    reader *r = context;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < sizeof bypasses / sizeof *bypasses; i++) {
        r->bypass |= xml_begins(x, bypasses[i]);
        r->bypass &= !xml_ends(x, bypasses[i]);
    }
    if (xml_begins(x, "peer"))
        return xml_fail(
            x, "<peer> is not supported; expected zones, hosts, routers, links, routes, cabinets and "
               "clusters");
    for (size_t i = 0; i < sizeof elements / sizeof *elements && !status; i++)
        if (xml_begins(x, elements[i].name)) status = elements[i].begin(r, x);
    if (!status && (xml_ends(x, "route") || xml_ends(x, "zoneRoute") || xml_ends(x, "ASroute")))
        status = end_route(r, x);
    if (!status && (xml_ends(x, "zone") || xml_ends(x, "AS")) && r->depth) r->depth--;
    return status;
}

/* ---- cables ---- */

/* The node of a set of places; a switch of its own where it has no name. */
static bough_status node_at(reader *r, uint32_t place, const link *l, uint32_t *node) {
    char name[40];
    const uint32_t set = union_find(r->parent, place);
    const size_t nodes = r->cables.parsed->node_count;
    const bool unnamed = r->named[set] == UINT32_MAX;
    bough_status status = BOUGH_OK;
    while (unnamed && r->cables.parsed->node_count == nodes && !status) { /* until a name is not taken */
        snprintf(name, sizeof name, "switch%zu", r->named_places++);
        status = bough_cables_node(&r->cables, (bough_slice){name, strlen(name)}, l->line, &r->named[set]);
    }
    if (status) return status;
    if (unnamed) r->cables.node[r->named[set]].kind = BOUGH_CABLE_SWITCH;
    *node = r->named[set];
    return BOUGH_OK;
}

static bough_status add_cable(reader *r, const link *l, uint32_t a, uint32_t b) {
    const bough_cable cable = {.end = {{.node = a}, {.node = b}},
                               .rate = l->rate,
                               .delay = l->delay,
                               .delayed = true,
                               .line = l->line};
    return bough_cables_add(&r->cables, &cable);
}

enum { LINK, LINKS }; /* the last one, and their number */

/* Counts the links that lead one way from, or to, a host. */
static void count_link(const reader *r, uint32_t place, uint32_t number, uint32_t (*at)[2]) {
    const uint32_t node = r->named[union_find(r->parent, place)];
    if (node == UINT32_MAX || r->cables.node[node].kind != BOUGH_CABLE_HOST) return;
    at[node][LINKS]++;
    at[node][LINK] = number;
}

/* A host with one link there and one back is at one place: with two hosts at a switch, routes do not tell. */
static bough_status join_single_links(reader *r) {
    const size_t nodes = r->cables.parsed->node_count;
    uint32_t(*out)[2], (*in)[2];
    bough_status status = arena_alloc(memory_of(r), &out, nodes, sizeof *out, r->error);
    TRY(arena_alloc(memory_of(r), &in, nodes, sizeof *in, r->error));
    if (status) return status;
    for (uint32_t i = 0; i < r->links; i++) {
        if (!r->link[i].used || r->link[i].back) continue;
        count_link(r, start_of(&r->link[i], false), i, out);
        count_link(r, end_of(&r->link[i], false), i, in);
    }
    for (size_t n = 0; n < nodes; n++) {
        if (out[n][LINKS] != 1 || in[n][LINKS] != 1) continue;
        const uint32_t a = union_find(r->parent, end_of(&r->link[out[n][LINK]], false)),
                       b = union_find(r->parent, start_of(&r->link[in[n][LINK]], false));
        if (a == b || (r->named[a] != UINT32_MAX && r->named[b] != UINT32_MAX)) continue;
        const uint32_t name = r->named[a] != UINT32_MAX ? r->named[a] : r->named[b];
        union_join(r->parent, a, b);
        r->named[union_find(r->parent, a)] = name;
    }
    return BOUGH_OK;
}

#define PAIRED (UINT32_MAX - 1)

/* Links that lead one way are paired with those that lead back. waiting: by pair of nodes, the last link
 * without one back; next: the one before it, or PAIRED. */
static bough_status pair_link(reader *r, uint32_t number, const uint32_t ends[2], bough_index_map *waiting,
                              uint32_t *next) {
    const uint64_t key = (uint64_t)ends[0] << 32 | ends[1], back = (uint64_t)ends[1] << 32 | ends[0];
    const uint32_t other = bough_index_map_get(waiting, back);
    if (other != UINT32_MAX) {
        bough_status status = bough_index_map_put(waiting, back, next[other], r->error);
        next[other] = next[number] = PAIRED;
        TRY(add_cable(r, &r->link[other], ends[1], ends[0]));
        return status;
    }
    next[number] = bough_index_map_get(waiting, key);
    return bough_index_map_put(waiting, key, number, r->error);
}

static bough_status add_cables(reader *r) {
    bough_index_map waiting = {.memory = memory_of(r)};
    uint32_t *next = NULL, ends[2];
    uint64_t one_way = 0;
    bough_status status = join_single_links(r);
    TRY(arena_alloc(memory_of(r), &next, r->links, sizeof *next, r->error));
    for (uint32_t i = 0; i < r->links && !status; i++) {
        const link *l = &r->link[i];
        if (!l->used) continue;
        status = node_at(r, start_of(l, false), l, &ends[0]);
        TRY(node_at(r, end_of(l, false), l, &ends[1]));
        if (!status)
            status = l->back ? add_cable(r, l, ends[0], ends[1]) : pair_link(r, i, ends, &waiting, next);
    }
    for (uint32_t i = 0; i < r->links && !status; i++) {
        if (next[i] == PAIRED || r->link[i].back || !r->link[i].used) continue;
        one_way++;
        status = node_at(r, start_of(&r->link[i], false), &r->link[i], &ends[0]);
        TRY(node_at(r, end_of(&r->link[i], false), &r->link[i], &ends[1]));
        TRY(add_cable(r, &r->link[i], ends[0], ends[1]));
    }
    if (!status && one_way)
        bough_log_finding(&r->cables.parsed->log, &(bough_finding_head){BOUGH_INFO, "one-way"},
                          "%" PRIu64
                          " link%s %s no link back between the same nodes, as far as routes tell; here "
                          "they lead both ways",
                          one_way, bough_s(one_way), one_way == 1 ? "has" : "have");
    return status;
}

static bool recognise(const scanner *scan) {
    return xml_recognise(scan->at, (size_t)(scan->end - scan->at), "platform");
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.cables = BOUGH_CABLES(parsed), .error = parsed->error, .names.memory = &parsed->memory};
    const xml_source source = {.name = parsed->name,
                               .text = scan->cursor,
                               .size = (size_t)(scan->end - scan->cursor),
                               .what = "a SimGrid platform",
                               .typed = true};
    r.cables.hosts_forward = true;
    bough_status status = xml_read(&source, read_node, &r, parsed->error);
    TRY(add_cables(&r));
    if (!status && r.shared)
        bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_INFO, "shared-links"},
                          "%" PRIu64
                          " link%s %s shared by their directions in SimGrid; here each has the rate",
                          r.shared, bough_s(r.shared), r.shared == 1 ? "is" : "are");
    TRY(bough_cables_finish(&r.cables));
    return status;
}

const bough_fabric_reader bough_reader_simgrid = {
    .format = "simgrid", .recognise = recognise, .read = read_file};
