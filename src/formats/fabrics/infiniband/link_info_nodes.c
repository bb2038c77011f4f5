/* Nodes and cables from the lines of iblinkinfo.
 *
 * Node GUIDs of adapters are not in the file: the GUID of the first port replaces them. With --line the kinds
 * of nodes are missing too. All ports of a switch have its GUID, and all are listed, so a GUID of several
 * lines is a switch and one of a single line is a port of an adapter; the ports of one adapter follow each
 * other, with close GUIDs and one description. Without --line the other end of a cable is known by LID, port
 * number and description only. */
#include "base/memory/memory.h"
#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "base/text/utf8.h"
#include "formats/fabrics/infiniband/link_info.h"
#include "formats/fabrics/infiniband/port_list.h"

#include <inttypes.h>
#include <string.h>

enum { CLOSE_GUIDS = 16 };

typedef struct fill {
    const link_info *info;
    port_list list;
    bough_index_map lines; /* --line: number of lines of each GUID */
    uint32_t *node;        /* per heading */
    uint32_t *place;       /* per line of a port: its index in the list */
    bough_name_map ends;   /* what a line calls a port -> line */
    uint8_t *ambiguous;    /* per line: another one calls its port the same */
} fill;

/* ---- nodes ---- */

static bool is_switch(const fill *f, const link_info_port *p) {
    return p->heading == BOUGH_NO_INDEX ? bough_index_map_get(&f->lines, p->own.guid) > 1
                                        : f->info->heading[p->heading].kind == BOUGH_FABRIC_SWITCH;
}

/* Returns whether a line continues the adapter of the line before it. */
static bool same_adapter(const fill *f, const link_info_port *p) {
    if (p == f->info->port) return false;
    const link_info_port *before = p - 1;
    uint64_t apart =
        p->own.guid > before->own.guid ? p->own.guid - before->own.guid : before->own.guid - p->own.guid;
    return before->heading == BOUGH_NO_INDEX && !is_switch(f, before) && p->own.number > before->own.number &&
           apart <= CLOSE_GUIDS && p->own.description.length == before->own.description.length &&
           memcmp(p->own.description.text, before->own.description.text, p->own.description.length) == 0;
}

static bough_status find_node(fill *f, const link_info_port *p, uint32_t *node) {
    bough_parsed_fabric *parsed = f->list.parsed;
    bough_parsed_node n = {.own = {.kind = BOUGH_FABRIC_ADAPTER, .guid = p->own.guid},
                           .description = p->own.description,
                           .line = p->line};
    const link_info_heading *h = p->heading == BOUGH_NO_INDEX ? NULL : &f->info->heading[p->heading];
    if (is_switch(f, p)) n.own.kind = BOUGH_FABRIC_SWITCH, n.own.lid = p->own.lid;
    if (h && f->node[p->heading] != BOUGH_NO_INDEX) {
        *node = f->node[p->heading];
        return BOUGH_OK;
    }
    if (!h && n.own.kind == BOUGH_FABRIC_ADAPTER && same_adapter(f, p)) {
        *node = parsed->port[f->place[p - 1 - f->info->port]].own.node;
        return BOUGH_OK;
    }
    if (h) {
        n.own.kind = h->kind;
        n.description = h->description;
        n.line = h->line;
        if (n.own.kind == BOUGH_FABRIC_SWITCH) n.own.guid = h->guid;
    }
    bough_status status = port_list_node(&f->list, &n, node);
    if (h) f->node[p->heading] = *node;
    return status;
}

static bough_status enter_port(fill *f, size_t i) {
    const link_info_port *p = &f->info->port[i];
    bough_parsed_fabric *parsed = f->list.parsed;
    bough_parsed_port port = {.own.number = p->own.number, .line = p->line, .cabled = p->cabled};
    bough_status status = find_node(f, p, &port.own.node);
    if (status) return status;
    bough_fabric_node *node = &parsed->node[port.own.node];
    if (node->kind != BOUGH_FABRIC_SWITCH) port.own.guid = p->own.guid, port.own.lid = p->own.lid;
    if (p->own.number > node->ports_declared) node->ports_declared = p->own.number;
    if (p->width.length) bough_parsed_set_rate(parsed, &port, p->width, p->speed);
    port.cabled = false; /* until its other end is found */
    return port_list_port(&f->list, &port, &f->place[i]);
}

/* ---- other ends ---- */

/* Writes what a line calls an end; returns the length. */
static size_t put_name(char *name, const link_info_end *end, bool by_guid) {
    uint64_t key[2] = {by_guid ? end->guid : end->lid, end->number};
    memcpy(name, key, sizeof key);
    if (by_guid) return sizeof key;
    memcpy(name + sizeof key, end->description.text, end->description.length);
    return sizeof key + end->description.length;
}

/* The end of a line, with the description of its heading. */
static link_info_end own_end(const fill *f, const link_info_port *p) {
    link_info_end end = p->own;
    if (p->heading != BOUGH_NO_INDEX) end.description = f->info->heading[p->heading].description;
    return end;
}

static bough_status name_ends(fill *f) {
    uint64_t size = 1;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < f->info->ports; i++) {
        const link_info_end own = own_end(f, &f->info->port[i]);
        size = bough_add(size, 2 * sizeof(uint64_t) + own.description.length);
    }
    char *name = NULL;
    status = arena_alloc(&f->list.parsed->memory, &name, size, 1, f->list.parsed->error);
    for (size_t i = 0; i < f->info->ports && !status; i++) {
        const link_info_port *p = &f->info->port[i];
        const link_info_end own = own_end(f, p);
        size_t length = put_name(name, &own, p->heading == BOUGH_NO_INDEX);
        uint32_t same = bough_name_map_get(&f->ends, name, length);
        if (same == BOUGH_NO_INDEX)
            status = bough_name_map_add(&f->ends, name, length, (uint32_t)i, f->list.parsed->error);
        else if (f->place[same] != f->place[i])
            f->ambiguous[same] = 1;
        name += length;
    }
    return status;
}

static bough_status join(fill *f, size_t i, char *name) {
    const link_info_port *p = &f->info->port[i];
    bough_parsed_fabric *parsed = f->list.parsed;
    size_t length = put_name(name, &p->peer, p->heading == BOUGH_NO_INDEX);
    uint32_t there = bough_name_map_get(&f->ends, name, length);
    if (there != BOUGH_NO_INDEX && !f->ambiguous[there])
        return port_list_point(&f->list, f->place[i], f->place[there], p->line);
    char own[96], peer[96];
    const link_info_end end = own_end(f, p);
    bough_copy_printable(end.description.text, end.description.length, own, sizeof own);
    bough_copy_printable(p->peer.description.text, p->peer.description.length, peer, sizeof peer);
    bough_finding_head head = {BOUGH_ERROR, "missing-node", .line = p->line};
    if (there != BOUGH_NO_INDEX) head.kind = "ambiguous-end";
    bough_log_finding(&parsed->log, &head,
                      "%s port %" PRIu32 " has a cable to port %" PRIu32 " of %s (LID %" PRIu32
                      "), which %s; the cable is ignored",
                      own, p->own.number, p->peer.number, peer, p->peer.lid,
                      there == BOUGH_NO_INDEX ? "is not in the file" : "several lines of the file may be");
    return BOUGH_OK;
}

static bough_status join_all(fill *f) {
    size_t longest = 0;
    char *name = NULL;
    for (size_t i = 0; i < f->info->ports; i++)
        if (f->info->port[i].peer.description.length > longest)
            longest = f->info->port[i].peer.description.length;
    bough_status status =
        arena_alloc(&f->list.parsed->memory, &name, 2 * sizeof(uint64_t) + longest, 1, f->list.parsed->error);
    for (size_t i = 0; i < f->info->ports && !status; i++)
        if (f->info->port[i].cabled) status = join(f, i, name);
    return status;
}

bough_status link_info_enter(const link_info *info, bough_parsed_fabric *parsed) {
    arena *m = &parsed->memory;
    fill f = {.info = info, .list = PORT_LIST(parsed), .lines.memory = m, .ends.memory = m};
    bough_status status = arena_alloc(m, &f.node, info->headings, sizeof *f.node, parsed->error);
    TRY(arena_alloc(m, &f.place, info->ports, sizeof *f.place, parsed->error));
    TRY(arena_alloc(m, &f.ambiguous, info->ports, 1, parsed->error));
    for (size_t h = 0; h < info->headings && !status; h++) f.node[h] = BOUGH_NO_INDEX;
    for (size_t i = 0; i < info->ports; i++)
        if (info->port[i].heading == BOUGH_NO_INDEX)
            TRY(bough_index_map_count(&f.lines, info->port[i].own.guid, parsed->error));
    for (size_t i = 0; i < info->ports && !status; i++) status = enter_port(&f, i);
    TRY(name_ends(&f));
    TRY(join_all(&f));
    return status;
}
