/* A switch has few different groups, and many addresses: the list of a group is made once, when the first
 * address needs it, and its number is copied for the others. */
#include "routing/adaptive/adaptive_lists.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

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

bough_status adaptive_lists_make(const adaptive_source *source, next_links *lists, adaptive_trouble *trouble,
                                 bough_error *error) {
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
