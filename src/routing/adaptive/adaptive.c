/* Adaptive routing: the links of a group, and a selection among them.
 *
 * The kind that a routing has after it was opened depends on `choose`, and is oblivious where no group has
 * two links: such a routing is a set of tables, and is followed like one. */
#include "routing/adaptive/adaptive.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "routing/adaptive/adaptive_lists.h"
#include "routing/over_routing.h"
#include "routing/routing_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { P_GROUPS, P_FILE, P_LFT, P_CHOOSE };

static const bough_param params[] = {
    [P_GROUPS] = {"groups",
                  "minimal (default): all links on shortest paths to the destination's switch (TREE of the "
                  "AR manager); "
                  "same-switch: all links to the switch to which the table leads (LAG)",
                  BOUGH_CHOICE, "", 0, 0, "minimal|same-switch"},
    [P_FILE] = {"file", "the groups that switches have: ibdiagnet2.far, instead of `groups`", BOUGH_TEXT, ""},
    [P_LFT] = {"lft", "forwarding tables for same-switch, and for switches that `file` lacks", BOUGH_TEXT,
               ""},
    [P_CHOOSE] =
        {"choose",
         "which link of the group a packet takes: any free one; of the free ones that with the lowest "
         "load (for packets: the shortest queue), or with the lowest number; any, free or not",
         BOUGH_CHOICE, "free", 0, 0, "free|least|first|random"},
    BOUGH_PARAMS_END,
};

typedef struct adaptive {
    bough_adaptive_groups groups;
    next_links lists; /* not used for minimal groups, which are the routes of the network */
} adaptive;

static void set_single(const bough_net *net, uint64_t link, bough_route *route) {
    route->count = 0;
    if (link == BOUGH_NONE || !bough_link_alive(net, link)) return;
    *route = (bough_route){.group = net->ops->link_group(net, link), .first = link, .count = 1};
}

static void route_adaptive(const bough_routing *r, uint64_t node, const bough_flow *flow,
                           bough_route *route) {
    const bough_net *net = r->net;
    const adaptive *a = r->data;
    if (a->groups == BOUGH_ADAPTIVE_MINIMAL) {
        net->ops->route(net, node, flow->address, route);
        return;
    }
    if (node < net->endpoints) { /* an adapter port has one cable; groups that lead to a wrong adapter end */
        set_single(net, node == flow->source ? bough_injection_link(net, node) : BOUGH_NONE, route);
        return;
    }
    link_list list = next_links_at(&a->lists, (node - net->endpoints) * a->lists.columns + flow->address);
    route->count = list.count;
    if (!list.count) return;
    route->list = a->lists.pool + list.first;
    route->first = route->list[0];
    route->group = net->ops->link_group(net, route->first);
}

static uint64_t next_adaptive(const bough_routing *r, uint64_t node, const bough_flow *flow) {
    bough_route route;
    route_adaptive(r, node, flow, &route);
    return route.count ? bough_route_link(&route, 0) : BOUGH_NONE;
}

static bough_status open_adaptive(bough_args *args, bough_routing *r, bough_error *error);

static void fini_adaptive(bough_routing *r) {
    adaptive *a = r->data;
    if (a) next_links_fini(&a->lists);
    free(a);
}

#define ADAPTIVE                                                                                             \
    .name = "adaptive",                                                                                      \
    .summary = "the adaptive routing of InfiniBand switches: any free link of the group for the address",    \
    .source = "Mellanox: HowTo Configure Adaptive Routing and SHIELD; ibdiagnet2.far", .params = params,     \
    .by_address = true, .open = open_adaptive, .route = route_adaptive, .fini = fini_adaptive
#define RECORDED ADAPTIVE, .own_ways = true, .needs = BOUGH_HAS_TABLES
#define COMPUTED ADAPTIVE, .needs = BOUGH_HAS_ROUTES | BOUGH_HAS_CHANNELS

const bough_routing_kind bough_routing_adaptive_kind = {COMPUTED, .select = bough_select_random};
static const bough_routing_kind single = {RECORDED, .oblivious = true, .next = next_adaptive};
/* By `choose`. Minimal groups are computed: they are no tables of the fabric. */
static const bough_routing_kind recorded[] = {
    {RECORDED, .select = bough_select_random},
    {RECORDED, .wants_load = true, .select = bough_select_least},
    {RECORDED, .select = bough_select_first},
    {RECORDED, .blind = true, .select = bough_select_random},
};
static const bough_routing_kind computed[] = {
    {COMPUTED, .select = bough_select_random},
    {COMPUTED, .wants_load = true, .select = bough_select_least},
    {COMPUTED, .select = bough_select_first},
    {COMPUTED, .blind = true, .select = bough_select_random},
};

/* ---- reading ---- */

static bough_status add_finding(bough_routing *r, const char *kind, uint64_t count, const char *text,
                                bough_error *error) {
    if (!count) return BOUGH_OK;
    return bough_findings_add(&r->findings, &(bough_finding_head){BOUGH_WARN, kind, r->spec}, error,
                              "%" PRIu64 " %s", count, text);
}

static bough_status report(bough_routing *r, const adaptive_trouble *t, bough_error *error) {
    bough_status status =
        add_finding(r, "split-group", t->split,
                    "entries name ports that are not on equal paths (links of different groups of the "
                    "network); the largest part of these is used",
                    error);
    TRY(add_finding(r, "empty-group", t->empty,
                    "entries name a group without a port that has a cable; the static port is used", error));
    TRY(add_finding(r, "no-groups", t->untabled, "switches have neither groups nor a table", error));
    return status;
}

typedef struct inputs {
    bough_tables tables;
    ar_tables groups;
    adaptive_source source;
} inputs;

static bough_status read_inputs(const bough_args *args, bough_routing *r, inputs *in, bough_error *error) {
    const bough_value *file = &args->value[P_FILE], *lft = &args->value[P_LFT];
    const bough_fabric *fabric = r->net->fabric;
    bough_status status = BOUGH_OK;
    in->source = (adaptive_source){.net = r->net, .tables = fabric->tables};
    if (fabric->tables) r->input_hash = fabric->tables->hash;
    if (lft->set) {
        status = bough_tables_read(&(bough_tables_file){lft->text, r->net->threads}, fabric, &in->tables,
                                   &r->findings, error);
        in->source.tables = &in->tables;
        r->input_hash = in->tables.hash;
    }
    if (file->set) {
        TRY(ar_tables_read(file->text, fabric, &in->groups, &r->findings, error));
        in->source.groups = &in->groups;
        r->input_hash = r->input_hash * 31 + in->groups.hash;
    } else if (!in->source.tables) {
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "adaptive:same-switch requires forwarding tables, adaptive:same-switch,lft=FILE; "
                            "%s contains none",
                            fabric->source);
    }
    return status;
}

static bool has_choice(const next_links *lists) {
    bool any = false;
    for (uint64_t i = 0; i < lists->lists; i++) any |= lists->list[i].count > 1;
    return any;
}

static bough_status make_lists(const bough_args *args, bough_routing *r, adaptive *a, bough_error *error) {
    inputs in = {.tables = {0}};
    adaptive_trouble trouble = {0};
    bough_status status = read_inputs(args, r, &in, error);
    TRY(adaptive_lists_make(&in.source, &a->lists, &trouble, error));
    TRY(report(r, &trouble, error));
    r->bytes = bough_add(next_links_bytes(&a->lists), bough_add(in.tables.bytes, in.groups.bytes));
    ar_tables_fini(&in.groups);
    bough_tables_fini(&in.tables);
    return status;
}

static bough_status check_args(const bough_args *args, bough_error *error) {
    bool file = args->value[P_FILE].set, same = args->value[P_GROUPS].integer == BOUGH_ADAPTIVE_SAME_SWITCH;
    if (file && args->value[P_GROUPS].given)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "adaptive takes the groups of a file or makes them by a rule: give `file` or "
                          "`groups`, not both");
    if (args->value[P_LFT].set && !file && !same)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "adaptive:minimal uses no forwarding tables; `lft` goes with same-switch and with "
                          "`file`");
    return BOUGH_OK;
}

static bough_status open_adaptive(bough_args *args, bough_routing *r, bough_error *error) {
    adaptive *a;
    bough_status status = check_args(args, error);
    if (status) return status;
    status = bough_alloc(&a, 1, sizeof *a, error);
    if (status) return status;
    r->data = a;
    a->groups =
        args->value[P_FILE].set ? BOUGH_ADAPTIVE_FILE : (bough_adaptive_groups)args->value[P_GROUPS].integer;
    r->kind = (a->groups == BOUGH_ADAPTIVE_MINIMAL ? computed : recorded) + args->value[P_CHOOSE].integer;
    if (a->groups == BOUGH_ADAPTIVE_MINIMAL) return BOUGH_OK;
    if (!(r->net->capabilities & BOUGH_HAS_TABLES))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "adaptive:%s needs the LIDs of an imported fabric (ibnet:FILE), which %s does not "
                          "have; adaptive:minimal needs none",
                          bough_adaptive_name(a->groups), r->net->spec);
    status = make_lists(args, r, a, error);
    if (!status && !has_choice(&a->lists)) r->kind = &single;
    return status;
}

/* ---- what it is ---- */

const char *bough_adaptive_name(bough_adaptive_groups groups) {
    static const char *const name[] = {"minimal", "same-switch", "file"};
    return name[groups];
}

bool bough_routing_adaptive(const bough_routing *r, bough_adaptive_groups *groups, const char **choose) {
    if (r->kind->route == node_route || r->kind->route == aggregation_route)
        return bough_routing_adaptive(over_routing_inner(r), groups, choose);
    if (r->kind->route != route_adaptive) return false;
    if (groups) *groups = ((const adaptive *)r->data)->groups;
    if (choose)
        *choose = r->kind->wants_load                     ? "least"
                  : r->kind->select == bough_select_first ? "first"
                  : r->kind->blind                        ? "random"
                                                          : "free";
    return true;
}

void bough_adaptive_count(const bough_routing *r, bough_adaptive_counts *counts) {
    const bough_net *net = r->net;
    *counts = (bough_adaptive_counts){0};
    for (uint64_t node = net->endpoints; node < net->nodes; node++)
        for (uint64_t address = 0; address < net->addresses; address++) {
            bough_route route;
            bough_route_at(r, node, &(bough_flow){0, address, 0}, &route);
            counts->entries += route.count > 0;
            counts->choices += route.count > 1;
            counts->links += route.count;
            if (route.count > counts->largest) counts->largest = route.count;
        }
}
