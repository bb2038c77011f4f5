/* ibdiagnet2.net_dump: a block for each switch, with a line for each of its ports.
 *
 *   "MF0;leaf01:MQM9700/U1", Mellanox, 0xb8cef603000000a0, LID 10
 *    #     : IB# : Sta : PhysSta : MTU  : LWA : LSA : .. : Neighbor Guid      : N# : NLID : Neighbor
 * Description sw1p1 : 1   : ACT : LINK UP : 4096 : 4x  : 100 : .. : 0xb8cef60300000002 : 1  : 20   : "node001
 * mlx5_0"
 *
 * Columns are found by their names. IB# is the number of the port, # (and N# of the neighbour) what is
 * printed at it; where there is no IB# they are numbers. A neighbour without a block is an adapter. The file
 * is read to its end before ports are joined, as N# of a switch is explained by the lines of that switch. */
#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "formats/fabrics/infiniband/infiniband_lines.h"
#include "formats/fabrics/infiniband/link_speeds.h"
#include "formats/fabrics/infiniband/port_list.h"

#include <inttypes.h>
#include <stdio.h>

enum { CELLS = 32 };
enum { LABEL, NUMBER, WIDTH, SPEED, GUID, PEER, LID, TEXT, COLUMNS };
static const struct {
    const char *name;
    bool required;
} columns[COLUMNS] = {
    [LABEL] = {"#", true},
    [NUMBER] = {"IB#", false},
    [WIDTH] = {"LWA", true},
    [SPEED] = {"LSA", true},
    [GUID] = {"Neighbor Guid", true},
    [PEER] = {"N#", true},
    [LID] = {"NLID", true},
    [TEXT] = {"Neighbor Description", true},
};

/* A port with a cable. */
typedef struct row {
    uint32_t node, number, line;
    uint64_t guid, lid; /* of the neighbour */
    bough_slice peer, text, width, speed;
} row;

typedef struct reader {
    scanner *scan;
    port_list ports;
    bough_name_map numbers; /* of a port: its node and what is printed at it */
    row *row;
    size_t rows;
    uint32_t node;                /* whose block it is */
    size_t cells, place[COLUMNS]; /* in the block; SIZE_MAX: missing */
} reader;

/* ---- a switch ---- */

typedef struct head {
    bough_slice name;
    uint64_t guid, lid;
} head;

/* "NAME", VENDOR, 0xGUID, LID N */
static bool read_head(const scanner *line, head *h) {
    scanner s = *line;
    bough_slice vendor;
    if (!scan_quoted(&s, '"', &h->name) || !scan_text(&s, ",")) return false;
    scan_blanks(&s);
    for (vendor = (bough_slice){s.at, 0}; s.at < s.stop && *s.at != ','; s.at++) vendor.length++;
    if (!scan_text(&s, ",") || !scan_blanks(&s) || !scan_text(&s, "0x") || !scan_hex(&s, &h->guid))
        return false;
    if (!scan_text(&s, ",") || !scan_blanks(&s) || !scan_text(&s, "LID") || !scan_blanks(&s)) return false;
    return scan_number(&s, &h->lid) && scan_done(&s);
}

static bough_status enter_switch(reader *r, const head *h) {
    bough_parsed_node node = {
        .own = {.kind = BOUGH_FABRIC_SWITCH, .guid = h->guid}, .description = h->name, .line = r->scan->line};
    bough_status status = lid_or_none(r->scan, h->lid, &node.own.lid);
    r->cells = 0;
    return status ? status : port_list_node(&r->ports, &node, &r->node);
}

/* ---- a line of a block ---- */

/* The cells of a line; the last of them has the colons that are left. */
static size_t split(const scanner *s, size_t most, bough_slice cell[CELLS]) {
    size_t count = 0;
    for (const char *at = s->at; count < most; at++) {
        const char *colon = count + 1 < most ? memchr(at, ':', (size_t)(s->stop - at)) : NULL;
        const char *end = colon ? colon : s->stop;
        const char *last = end;
        while (at < last && (*at == ' ' || *at == '\t')) at++;
        while (last > at && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r')) last--;
        cell[count++] = (bough_slice){at, (size_t)(last - at)};
        if (!colon) break;
        at = end;
    }
    return count;
}

static bough_status read_columns(reader *r) {
    bough_slice cell[CELLS];
    r->cells = split(r->scan, CELLS, cell);
    for (size_t c = 0; c < COLUMNS; c++) {
        r->place[c] = SIZE_MAX;
        for (size_t i = r->cells; i-- > 0;)
            if (bough_slice_is(cell[i], columns[c].name)) r->place[c] = i;
        if (r->place[c] == SIZE_MAX && columns[c].required)
            return scan_fail(r->scan, "no column \"%s\" among the %zu that this line names", columns[c].name,
                             r->cells);
    }
    if (r->place[TEXT] + 1 == r->cells) return BOUGH_OK;
    return scan_fail(r->scan, "expected the column \"Neighbor Description\" at the end of the line");
}

static bough_status cell_number(const reader *r, bough_slice cell, const char *name, uint64_t *value) {
    scanner s = scan_part(r->scan, cell);
    if (scan_number(&s, value) && scan_done(&s)) return BOUGH_OK;
    return scan_fail(r->scan, "%s is \"%s\"; expected a whole number", name, SHOWN(cell));
}

static bough_status cell_guid(const reader *r, bough_slice cell, uint64_t *value) {
    scanner s = scan_part(r->scan, cell);
    scan_text(&s, "0x");
    if (scan_hex(&s, value) && scan_done(&s)) return BOUGH_OK;
    return scan_fail(r->scan, "Neighbor Guid is \"%s\"; expected a GUID, as in 0xb8cef60300000002",
                     SHOWN(cell));
}

static bough_slice without_quotes(bough_slice text) {
    const bool quoted = text.length > 1 && text.text[0] == '"' && text.text[text.length - 1] == '"';
    return quoted ? (bough_slice){text.text + 1, text.length - 2} : text;
}

enum { LABEL_KEY = 96 };

/* What is printed at a port, of one switch only. */
static size_t label_key(uint32_t node, bough_slice label, char key[LABEL_KEY]) {
    return (size_t)snprintf(key, LABEL_KEY, "%" PRIu32 " %.*s", node,
                            (int)(label.length < 64 ? label.length : 64), label.text);
}

static bough_status note_label(reader *r, bough_slice label, uint32_t number) {
    char key[LABEL_KEY], *kept = NULL;
    const size_t length = label_key(r->node, label, key);
    bough_parsed_fabric *parsed = r->ports.parsed;
    if (bough_name_map_get(&r->numbers, key, length) != BOUGH_NO_INDEX) return BOUGH_OK;
    bough_status status = arena_copy_bytes(&parsed->memory, &kept, key, length, parsed->error);
    return status ? status : bough_name_map_add(&r->numbers, kept, length, number, parsed->error);
}

/* A port without a cable has no neighbour. */
static bough_status add_row(reader *r, const bough_slice *cell, uint32_t number) {
    bough_parsed_fabric *parsed = r->ports.parsed;
    row new = {.node = r->node,
               .number = number,
               .line = r->scan->line,
               .peer = cell[r->place[PEER]],
               .text = without_quotes(cell[r->place[TEXT]]),
               .width = cell[r->place[WIDTH]],
               .speed = cell[r->place[SPEED]]};
    const bough_slice lid = cell[r->place[LID]];
    bough_status status = cell_guid(r, cell[r->place[GUID]], &new.guid);
    if (!status && lid.length) status = cell_number(r, lid, "NLID", &new.lid);
    TRY(lid_or_none(r->scan, new.lid, &(uint32_t){0}));
    TRY(arena_grow(&parsed->memory, &r->row, r->rows + 1, sizeof *r->row, parsed->error));
    if (!status) r->row[r->rows++] = new;
    return status;
}

/* sw1p1 : 1 : ACT : .. */
static bough_status read_port(reader *r) {
    bough_slice cell[CELLS];
    const size_t cells = split(r->scan, r->cells, cell);
    const size_t own = r->place[NUMBER] == SIZE_MAX ? LABEL : NUMBER;
    uint64_t number = 0;
    if (cells < r->cells)
        return scan_fail(r->scan, "has %zu cells between colons, but the columns are %zu", cells, r->cells);
    bough_status status = cell_number(r, cell[r->place[own]], columns[own].name, &number);
    if (status || number == 0) return status; /* of the switch itself */
    status = port_check(r->scan, number);
    TRY(note_label(r, cell[r->place[LABEL]], (uint32_t)number));
    if (status || !cell[r->place[GUID]].length || bough_slice_is(cell[r->place[GUID]], "N/A")) return status;
    return add_row(r, cell, (uint32_t)number);
}

static bool names_columns(const scanner *line) {
    scanner s = *line;
    return scan_text(&s, "#") && (scan_blanks(&s), scan_starts(&s, ":"));
}

static bough_status read_line(reader *r) {
    scanner *s = r->scan;
    head h;
    scan_blanks(s);
    if (scan_done(s)) return BOUGH_OK;
    if (read_head(s, &h)) return enter_switch(r, &h);
    if (names_columns(s)) return read_columns(r);
    if (*s->at == '#') return BOUGH_OK;
    if (!r->cells)
        return scan_fail(s,
                         "expected a switch of net_dump: \"NAME\", VENDOR, 0xGUID, LID N, and the names of "
                         "its columns");
    return read_port(r);
}

/* ---- cables ---- */

/* The neighbour's port. */
static bough_status find_peer(reader *r, const row *w, uint32_t *port) {
    bough_parsed_fabric *parsed = r->ports.parsed;
    bough_parsed_port p = {.own.number = 1, .line = w->line};
    const uint32_t there = bough_index_map_get(&parsed->guids[BOUGH_FABRIC_SWITCH], w->guid);
    char key[LABEL_KEY];
    uint64_t number;
    scanner s = scan_part(r->scan, w->peer);
    uint32_t known = BOUGH_NO_INDEX;
    if (there != BOUGH_NO_INDEX) known = bough_name_map_get(&r->numbers, key, label_key(there, w->peer, key));
    s.line = w->line;
    if (known == BOUGH_NO_INDEX &&
        !(scan_number(&s, &number) && scan_done(&s) && number <= BOUGH_PORT_MAX && number))
        return scan_fail_line(r->scan, w->line, "N# is \"%s\", and the neighbour has no such port",
                              SHOWN(w->peer));
    p.own.number = known == BOUGH_NO_INDEX ? (uint32_t)number : known;
    p.own.node = there;
    if (there == BOUGH_NO_INDEX) {
        bough_parsed_node node = {
            .own = {.kind = BOUGH_FABRIC_ADAPTER, .guid = w->guid, .ports_declared = p.own.number},
            .description = w->text,
            .line = w->line};
        p.own.guid = w->guid;
        p.own.lid = w->lid == UINT16_MAX ? 0 : (uint32_t)w->lid;
        bough_status status = port_list_node(&r->ports, &node, &p.own.node);
        if (status) return status;
    }
    return port_list_port(&r->ports, &p, port);
}

static bough_status join(reader *r, const row *w) {
    bough_parsed_fabric *parsed = r->ports.parsed;
    bough_parsed_port own = {.own = {.node = w->node, .number = w->number}, .line = w->line};
    uint32_t port, peer;
    bough_status status = port_list_port(&r->ports, &own, &port);
    TRY(find_peer(r, w, &peer));
    TRY(port_list_join(&r->ports, port, peer, w->line));
    if (status) return status;
    bough_parsed_port *p = &parsed->port[port], *q = &parsed->port[peer];
    bough_parsed_set_rate(parsed, p, link_width_name(w->width), link_speed_name(w->speed));
    if (parsed->node[q->own.node].kind == BOUGH_FABRIC_SWITCH) return BOUGH_OK; /* has a line of its own */
    q->own.width = p->own.width;
    q->own.rate = p->own.rate;
    memcpy(q->own.speed, p->own.speed, sizeof q->own.speed);
    return BOUGH_OK;
}

static void count_ports(bough_parsed_fabric *parsed) {
    for (size_t i = 0; i < parsed->port_count; i++) {
        uint32_t *ports = &parsed->node[parsed->port[i].own.node].ports_declared;
        if (parsed->port[i].own.number > *ports) *ports = parsed->port[i].own.number;
    }
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {
        .scan = scan, .ports = PORT_LIST(parsed), .numbers.memory = &parsed->memory, .node = BOUGH_NO_INDEX};
    bough_status status = BOUGH_OK;
    while (!status && scan_line(scan)) status = read_line(&r);
    for (size_t i = 0; i < r.rows && !status; i++) status = join(&r, &r.row[i]);
    if (!status) count_ports(parsed);
    return status;
}

static bool recognise(const scanner *scan) {
    return read_head(scan, &(head){0});
}

const bough_fabric_reader bough_reader_net_dump = {
    .format = "net_dump", .rank = 1, .recognise = recognise, .read = read_file};
