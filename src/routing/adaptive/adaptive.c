/* Adaptive routing: the links of a group, and a selection among them.
 *
 * The kind that a routing has after it was opened depends on `choose`, and is oblivious where no group has
 * two links: such a routing is a set of tables, and is followed like one. */
#include "routing/adaptive/adaptive.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "formats/tables/ar_tables.h"
#include "network/next_links.h"
#include "routing/over_routing.h"
#include "routing/routing.h"
#include "routing/routing_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- adaptive lists ---- */

/* The groups of an adaptive routing as lists of links, by switch and address. */

/* A switch has few different groups, and many addresses: the list of a group is made once, when the first
 * address needs it, and its number is copied for the others. */

/* What lists are made from. */
typedef struct adaptive_source {
    const bough_net *net;
    const bough_tables *tables; /* may be NULL */
    const ar_tables *groups;    /* NULL: all links to the switch to which the tables lead */
} adaptive_source;

/* Entries whose group could not be used as it is. */
typedef struct adaptive_trouble {
    uint64_t split;    /* ports in several groups of the network: the largest part is used */
    uint64_t empty;    /* no port of the group has a link: the static port is used */
    uint64_t untabled; /* switches without a section in the file, and without a table */
} adaptive_trouble;

enum { PORTS = 256, MADE = PORTS + AR_GROUP_MAX + 1 };

typedef struct maker {
    const adaptive_source *source;
    next_links *lists;
    adaptive_trouble *trouble;
    const ar_switch *far; /* its section, or NULL */
    const uint8_t *row;   /* its table, or NULL */
    uint64_t at[PORTS];   /* port -> link, or BOUGH_NONE */
    uint64_t *made;       /* by port, then by group: 1 + the entry that has the list; 0: none yet */
    bool *split;          /* by group: it is split among groups of the network */
    uint32_t *link;       /* the list at hand */
    uint32_t count;
} maker;

/* ---- links of one group ---- */

/* Selection and arbitration of engines are by group of the network, so a list lies within one. */
static bool in_group(const maker *m, uint64_t link, uint64_t group) {
    return m->source->net->ops->link_group(m->source->net, link) == group;
}

static void add_live(maker *m, uint64_t link) {
    if (bough_link_alive(m->source->net, link)) m->link[m->count++] = (uint32_t)link;
}

/* All links to the node at the end of this one. */
static void list_same_switch(maker *m, uint64_t link) {
    const bough_net *net = m->source->net;
    uint64_t next = net->ops->link_end(net, link).node;
    bough_range links = net->ops->group_links(net, net->ops->link_group(net, link));
    for (uint64_t l = links.first; l < links.first + links.count; l++)
        if (net->ops->link_end(net, l).node == next) add_live(m, l);
}

static uint32_t count_in_group(const maker *m, const ar_group *g, uint64_t group) {
    uint32_t count = 0;
    for (unsigned p = 1; p < PORTS; p++)
        count += (g->ports[p / 64] >> p % 64 & 1) && m->at[p] != BOUGH_NONE && in_group(m, m->at[p], group);
    return count;
}

/* The largest part that lies within one group of the network, of equal ones the first by port. Links of a
 * group are numbered by port, so the list ascends. Returns whether anything is left out. */
static bool list_ports(maker *m, const ar_group *g) {
    const bough_net *net = m->source->net;
    uint64_t best = BOUGH_NONE;
    uint32_t most = 0, all = 0;
    for (unsigned p = 1; p < PORTS; p++) {
        if (!(g->ports[p / 64] >> p % 64 & 1) || m->at[p] == BOUGH_NONE) continue;
        uint64_t group = net->ops->link_group(net, m->at[p]);
        uint32_t count = group == best ? 0 : count_in_group(m, g, group);
        all++;
        if (count > most) best = group, most = count;
    }
    for (unsigned p = 1; p < PORTS && most; p++)
        if ((g->ports[p / 64] >> p % 64 & 1) && m->at[p] != BOUGH_NONE && in_group(m, m->at[p], best))
            add_live(m, m->at[p]);
    return most < all;
}

/* ---- entries ---- */

static const ar_group *group_of(const maker *m, const ar_entry *e) {
    if (e->state != AR_FREE && e->state != AR_HASHED) return NULL;
    for (size_t i = 0; i < m->far->groups; i++)
        if (m->far->group[i].number == e->group) return &m->far->group[i];
    return NULL;
}

static bool has_link(const maker *m, const ar_group *g) {
    for (unsigned p = 1; g && p < PORTS; p++)
        if ((g->ports[p / 64] >> p % 64 & 1) && m->at[p] != BOUGH_NONE) return true;
    return false;
}

/* The list of what `made` names by key; it is built by list_key where it is new. */
static bool is_made(maker *m, uint64_t key, uint64_t entry) {
    if (!m->made[key]) return false;
    m->lists->list_of[entry] = m->lists->list_of[m->made[key] - 1];
    return true;
}

static bough_status keep(maker *m, uint64_t key, uint64_t entry, bough_error *error) {
    m->made[key] = entry + 1;
    return next_links_set(m->lists, entry, m->link, m->count, error);
}

static bough_status set_port(maker *m, unsigned port, uint64_t entry, bough_error *error) {
    if (m->at[port] == BOUGH_NONE || is_made(m, port, entry)) return BOUGH_OK;
    m->count = 0;
    if (m->source->groups)
        add_live(m, m->at[port]);
    else
        list_same_switch(m, m->at[port]);
    return keep(m, port, entry, error);
}

static bough_status set_group(maker *m, const ar_entry *e, uint64_t entry, bough_error *error) {
    const uint64_t key = PORTS + (uint64_t)e->group;
    if (!m->made[key]) {
        const ar_group *g = group_of(m, e);
        m->count = 0;
        if (!has_link(m, g)) {
            m->trouble->empty++;
            return set_port(m, e->port, entry, error);
        }
        m->split[e->group] = list_ports(m, g);
        m->trouble->split += m->split[e->group];
        return keep(m, key, entry, error);
    }
    m->trouble->split += m->split[e->group];
    is_made(m, key, entry);
    return BOUGH_OK;
}

static bough_status set_entry(maker *m, uint64_t address, uint64_t entry, bough_error *error) {
    uint32_t lid = bough_net_lid(m->source->net, address);
    const ar_entry *e = m->far && lid < m->far->lids ? &m->far->entry[lid] : NULL;
    if (e && e->state != AR_NONE)
        return e->state == AR_STATIC ? set_port(m, e->port, entry, error) : set_group(m, e, entry, error);
    return m->row && lid < m->source->tables->lids ? set_port(m, m->row[lid], entry, error) : BOUGH_OK;
}

static void begin_switch(maker *m, uint64_t node) {
    const adaptive_source *s = m->source;
    uint32_t at = bough_net_fabric_node(s->net, node);
    m->far = s->groups && at < s->groups->nodes && s->groups->of[at].listed ? &s->groups->of[at] : NULL;
    m->row = s->tables && at < s->tables->nodes ? s->tables->port[at] : NULL;
    m->trouble->untabled += !m->far && !m->row;
    m->at[0] = BOUGH_NONE;
    for (uint32_t p = 1; p < PORTS; p++) m->at[p] = bough_net_link_at(s->net, node, p);
    memset(m->made, 0, MADE * sizeof *m->made);
}

/* Rows are switches, columns addresses; zero-initialise lists. Dead links are left out. */
static bough_status adaptive_lists_make(const adaptive_source *source, next_links *lists,
                                        adaptive_trouble *trouble, bough_error *error) {
    const bough_net *net = source->net;
    maker m = {.source = source, .lists = lists, .trouble = trouble};
    lists->rows = net->nodes - net->endpoints;
    lists->columns = net->addresses;
    *trouble = (adaptive_trouble){0};
    bough_status status = next_links_make(lists, error);
    TRY(bough_alloc(&m.made, MADE, sizeof *m.made, error));
    TRY(bough_alloc(&m.split, AR_GROUP_MAX + 1, sizeof *m.split, error));
    TRY(bough_alloc(&m.link, bough_add(net->group_max, PORTS), sizeof *m.link, error));
    for (uint64_t s = 0; s < lists->rows && !status; s++) {
        begin_switch(&m, net->endpoints + s);
        for (uint64_t a = 0; a < lists->columns && !status; a++)
            status = set_entry(&m, a, s * lists->columns + a, error);
    }
    next_links_filled(lists);
    FREE_ALL(m.made, m.split, m.link);
    return status;
}

/* ---- adaptive ---- */

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
static const bough_routing_kind single = {RECORDED, .oblivious = true};
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
                              "%s: %" PRIu64, text, count);
}

static bough_status report(bough_routing *r, const adaptive_trouble *t, bough_error *error) {
    bough_status status =
        add_finding(r, "split-group", t->split,
                    "entries with ports that are not on equal paths (links of different groups of the "
                    "network), of which the largest part is used",
                    error);
    TRY(add_finding(r, "empty-group", t->empty,
                    "entries with a group without a port that has a cable, for which the static port is used",
                    error));
    TRY(add_finding(r, "no-groups", t->untabled, "switches with neither groups nor a table", error));
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
