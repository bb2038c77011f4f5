/* The output of ibnetdiscover -p: a line for every port,
 *
 *   CA   182  1 0x001175000077d284 4x QDR - SW    18 18 0x00066a00ec002dd9 ( 'node179 HCA-1' - 'L112' )
 *   SW    18  1 0x00066a00ec002dd9 4x SDR                                    'L112'
 *
 * The second form is a port without a cable. Fields: kind, LID, port number, port GUID, width and speed; the
 * same for the other end; and the descriptions of both nodes. Lines of discovery progress ("DR path ..") may
 * come first.
 *
 * The file has no node GUIDs of adapters, so port GUIDs replace them, and the ports of an adapter must be
 * inferred: they are consecutive, from the highest number down, with close GUIDs and one description. */
#include "base/status/try.h"
#include "formats/fabrics/infiniband/infiniband_lines.h"
#include "formats/fabrics/parsed_fabric.h"

#include <inttypes.h>
#include <string.h>

typedef struct reader {
    scanner *scan;
    bough_parsed_fabric *parsed;
    /* the previous line */
    uint32_t node, number;
    uint64_t guid;
} reader;

/* One end of a cable as given by the line. */
typedef struct end {
    bough_fabric_kind kind;
    uint32_t lid, number;
    uint64_t guid;
    bough_slice description;
} end;

#define CLOSE_GUIDS 16

/* CA   182  1 0x001175000077d284 */
static bough_status read_end(scanner *s, end *e) {
    uint64_t lid, number;
    if (scan_text(s, "CA "))
        e->kind = BOUGH_FABRIC_ADAPTER;
    else if (scan_text(s, "SW "))
        e->kind = BOUGH_FABRIC_SWITCH;
    else if (scan_text(s, "RT "))
        e->kind = BOUGH_FABRIC_ROUTER;
    else
        return scan_fail(s, "expected a line of ibnetdiscover -p: CA, SW or RT");
    scan_blanks(s);
    if (!scan_number(s, &lid)) return scan_fail(s, "invalid LID");
    bough_status status = lid_or_none(s, lid, &e->lid);
    if (status) return status;
    if (!scan_blanks(s) || !scan_number(s, &number)) return scan_fail(s, "invalid port number");
    status = port_check(s, number);
    scan_blanks(s);
    if (!status && (!scan_text(s, "0x") || !scan_hex(s, &e->guid)))
        return scan_fail(s, "invalid port GUID; expected 0x and 16 hexadecimal digits");
    e->number = (uint32_t)number;
    return status;
}

/* 'node179 HCA-1' - 'L112': both texts may contain quotes; the first "' - '" separates them. */
static bool read_descriptions(scanner *s, bough_slice *own, bough_slice *peer) {
    static const char middle[] = "' - '";
    size_t size = sizeof middle - 1;
    if (!scan_quoted(s, '\'', own)) return false;
    for (size_t i = 0; i + size <= own->length; i++) {
        if (memcmp(own->text + i, middle, size) != 0) continue;
        *peer = (bough_slice){own->text + i + size, own->length - i - size};
        own->length = i;
        return true;
    }
    return false;
}

/* Returns whether this line continues the adapter of the previous line. */
static bool same_adapter(const reader *r, const end *e) {
    if (r->node == BOUGH_NO_INDEX || e->number >= r->number) return false;
    const bough_fabric_node *n = &r->parsed->node[r->node];
    uint64_t apart = e->guid > r->guid ? e->guid - r->guid : r->guid - e->guid;
    return n->kind == e->kind && apart <= CLOSE_GUIDS && bough_slice_is(e->description, n->description);
}

/* The node that has this port. */
static bough_status find_node(reader *r, const end *e) {
    bough_parsed_fabric *parsed = r->parsed;
    bough_index_map *guids = &parsed->guids[e->kind];
    bough_status status = BOUGH_OK;
    uint32_t node = bough_index_map_get(guids, e->guid);
    if (node == BOUGH_NO_INDEX && e->kind != BOUGH_FABRIC_SWITCH && same_adapter(r, e)) {
        node = r->node;
        parsed->node[node].guid = e->guid; /* the GUID of its lowest port */
        status = bough_index_map_put(guids, e->guid, node, r->scan->error);
    } else if (node == BOUGH_NO_INDEX) {
        bough_parsed_node new = {
            .own = {.kind = e->kind, .guid = e->guid}, .description = e->description, .line = r->scan->line};
        if (e->kind == BOUGH_FABRIC_SWITCH) new.own.lid = e->lid;
        status = bough_parsed_add_node(parsed, &new, &node);
        TRY(bough_index_map_put(guids, e->guid, node, r->scan->error));
    }
    if (status) return status;
    if (e->number > parsed->node[node].ports_declared) parsed->node[node].ports_declared = e->number;
    r->node = node;
    r->number = e->number;
    r->guid = e->guid;
    return BOUGH_OK;
}

static bough_status read_port(reader *r) {
    scanner *s = r->scan;
    end own = {0}, peer = {0};
    bough_slice width, speed;
    bough_status status = read_end(s, &own);
    if (status) return status;
    scan_blanks(s);
    if (!scan_word(s, &width) || !scan_blanks(s) || !scan_word(s, &speed))
        return scan_fail(s, "invalid link width and speed; expected words such as \"4x QDR\"");
    scan_blanks(s);
    bool cabled = scan_text(s, "- ");
    if (cabled) {
        scan_blanks(s);
        status = read_end(s, &peer);
        if (status) return status;
        scan_blanks(s);
        if (!scan_text(s, "( ") || !read_descriptions(s, &own.description, &peer.description) ||
            !scan_text(s, " )"))
            return scan_fail(s, "invalid descriptions; expected ( 'one' - 'other' )");
    } else if (!scan_quoted(s, '\'', &own.description)) {
        return scan_fail(s, "expected \"- \" and the other end of the cable, or a description in quotes");
    }
    if (!scan_done(s)) return scan_fail(s, "unexpected text at the end of the line");
    status = find_node(r, &own);
    if (status) return status;
    bough_parsed_port p = {.own = {.node = r->node, .number = own.number},
                           .line = s->line,
                           .cabled = cabled,
                           .peer_kind = peer.kind,
                           .peer_key = peer.guid,
                           .peer_number = peer.number,
                           .peer_guid = peer.kind == BOUGH_FABRIC_SWITCH ? 0 : peer.guid,
                           .peer_lid = peer.lid};
    if (own.kind != BOUGH_FABRIC_SWITCH) p.own.guid = own.guid, p.own.lid = own.lid;
    bough_parsed_set_rate(r->parsed, &p, width, speed);
    return bough_parsed_add_port(r->parsed, &p);
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.scan = scan, .parsed = parsed, .node = BOUGH_NO_INDEX};
    while (scan_line(scan)) {
        if (scan_done(scan) || *scan->at == '#') continue;
        bough_status status = read_port(&r);
        if (status) return status;
    }
    return BOUGH_OK;
}

static bool recognise(const scanner *s) {
    return count_follows(s, "CA") || count_follows(s, "SW") || count_follows(s, "RT");
}

const bough_fabric_reader bough_reader_ibnetdiscover_ports = {
    .format = "ibnetdiscover -p", .rank = 4, .recognise = recognise, .read = read_file};
