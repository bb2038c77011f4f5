/* opensm-subnet.lst of OpenSM, ibdiagnet.lst and ibdiagnet2.lst: a line for each end of a cable,
 *
 *   { CA-SM Ports:01 SystemGUID:.. NodeGUID:0002c90300000000 PortGUID:0002c90300000001 VenID:.. DevID:..
 *   Rev:.. {h0000 HCA-1} LID:0001 PN:01 } { SW Ports:24 .. {L1-0000} LID:0002 PN:01 } PHY=4x LOG=ACT SPD=10
 *
 * (on one line). All numbers but LMC are hexadecimal. PHY, LOG and SPD are those of the first end. Nodes
 * without a cable are not listed. The first "} LID:" ends a description, which may contain braces. */
#include "base/status/try.h"
#include "formats/fabrics/infiniband/infiniband_lines.h"
#include "formats/fabrics/infiniband/link_speeds.h"
#include "formats/fabrics/infiniband/port_list.h"

#include <inttypes.h>
#include <string.h>

typedef struct reader {
    scanner *scan;
    port_list ports;
} reader;

/* One end of a cable as given by the line. */
typedef struct end {
    bough_fabric_kind kind;
    uint64_t node_guid, port_guid, ports, lid, number, lmc;
    bool has_node, has_ports, has_number;
    bough_slice description;
} end;

/* CA, CA-SM, SW, RTR */
static bough_status read_kind(scanner *s, bough_fabric_kind *kind) {
    static const struct {
        const char *word;
        bough_fabric_kind kind;
    } kinds[] = {{"CA", BOUGH_FABRIC_ADAPTER},
                 {"SW", BOUGH_FABRIC_SWITCH},
                 {"RTR", BOUGH_FABRIC_ROUTER},
                 {"Rt", BOUGH_FABRIC_ROUTER}};
    bough_slice word;
    scan_word(s, &word);
    if (word.length > 3 && memcmp(word.text + word.length - 3, "-SM", 3) == 0) word.length -= 3;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (bough_slice_is(word, kinds[i].word)) return *kind = kinds[i].kind, BOUGH_OK;
    return scan_fail(s, "invalid kind of node; expected \"{ CA\", \"{ SW\" or \"{ RTR\"");
}

/* A field that is used. has: NULL if it may be missing. */
typedef struct field {
    const char *name;
    uint64_t *value;
    bool *has;
} field;

/* NodeGUID:0002c90300000000; other fields are skipped. */
static bough_status read_field(scanner *s, end *e) {
    const field fields[] = {
        {"NodeGUID:", &e->node_guid, &e->has_node},
        {"PortGUID:", &e->port_guid, NULL},
        {"Ports:", &e->ports, &e->has_ports},
        {"PN:", &e->number, &e->has_number},
        {"LID:", &e->lid, NULL},
        {"LMC:", &e->lmc, NULL},
    };
    bough_slice word;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!scan_text(s, fields[i].name)) continue;
        scan_text(s, "0x");
        if (!scan_hex(s, fields[i].value))
            return scan_fail(s, "expected a hexadecimal number after \"%s\"", fields[i].name);
        if (fields[i].has) *fields[i].has = true;
        return BOUGH_OK;
    }
    scan_word(s, &word);
    if (memchr(word.text, ':', word.length)) return BOUGH_OK;
    return scan_fail(s, "unexpected \"%s\"; expected a field such as LID:0001, or \"}\"", SHOWN(word));
}

/* After the brace: h0000 HCA-1} */
static bool read_description(scanner *s, bough_slice *description) {
    static const char stop[] = "} LID:";
    size_t size = sizeof stop - 1;
    for (const char *at = s->at; at + size <= s->stop; at++) {
        if (memcmp(at, stop, size) != 0) continue;
        *description = (bough_slice){s->at, (size_t)(at - s->at)};
        s->at = at + 1;
        return true;
    }
    return false;
}

static bough_status check_end(const scanner *s, const end *e) {
    if (!e->has_node || !e->has_ports || !e->has_number)
        return scan_fail(s, "expected the fields Ports, NodeGUID and PN between the braces of each end");
    if (e->number < 1 || e->number > BOUGH_PORT_MAX || e->ports > BOUGH_PORT_MAX)
        return scan_fail(s, "port %" PRIu64 " of %" PRIu64 " does not exist; ports are numbered from 1 to %d",
                         e->number, e->ports, BOUGH_PORT_MAX);
    bough_status status = lid_check(s, e->lid);
    if (!status && e->lmc > 7) return scan_fail(s, "expected a number from 0 to 7 after \"LMC:\"");
    return status;
}

/* { SW Ports:24 .. {L1-0000} LID:0002 PN:01 } */
static bough_status read_end(scanner *s, end *e) {
    scan_blanks(s);
    if (!scan_text(s, "{")) return scan_fail(s, "expected \"{\" and one end of a cable");
    scan_blanks(s);
    bough_status status = read_kind(s, &e->kind);
    while (!status) {
        if (scan_done(s)) return scan_fail(s, "expected \"}\" after one end of a cable");
        if (scan_text(s, "}")) break;
        if (!scan_text(s, "{"))
            status = read_field(s, e);
        else if (!read_description(s, &e->description))
            status = scan_fail(s, "expected \"} LID:\" after the description of a node");
    }
    if (e->lid == 0xFFFF) e->lid = 0;
    return status ? status : check_end(s, e);
}

/* The port of an end; adds its node. */
static bough_status enter_end(reader *r, const end *e, uint32_t *port) {
    bool is_switch = e->kind == BOUGH_FABRIC_SWITCH;
    bough_parsed_node node = {.own = {.kind = e->kind,
                                      .guid = e->node_guid,
                                      .ports_declared = (uint32_t)e->ports,
                                      .lid = is_switch ? (uint32_t)e->lid : 0,
                                      .lmc = is_switch ? (uint8_t)e->lmc : 0},
                              .description = e->description,
                              .line = r->scan->line};
    bough_parsed_port p = {.own = {.number = (uint32_t)e->number}, .line = r->scan->line};
    if (!is_switch) {
        p.own.guid = e->port_guid;
        p.own.lid = (uint32_t)e->lid;
        p.own.lmc = (uint8_t)e->lmc;
    }
    bough_status status = port_list_node(&r->ports, &node, &p.own.node);
    return status ? status : port_list_port(&r->ports, &p, port);
}

/* PHY=4x LOG=ACT SPD=10; old files have no SPD */
static bough_status read_link(scanner *s, bough_slice *width, bough_slice *state, bough_slice *speed) {
    *speed = (bough_slice){"2.5", 3};
    scan_blanks(s);
    if (!scan_text(s, "PHY=") || !scan_word(s, width) || !scan_blanks(s) || !scan_text(s, "LOG=") ||
        !scan_word(s, state))
        return scan_fail(s, "invalid state of the link; expected \"PHY=4x LOG=ACT SPD=10\"");
    if (scan_done(s)) return s->open ? scan_fail(s, "expected \"SPD=\" and a speed") : BOUGH_OK;
    if (!scan_text(s, "SPD=") || !scan_word(s, speed) || !scan_done(s))
        return scan_fail(s, "invalid speed of the link; expected \"SPD=10\" at the end of the line");
    if (s->open) return scan_fail(s, "expected a line end after the speed");
    return BOUGH_OK;
}

/* Joins the ports, and sets the rate of the first; the second has it too until its own line is read. */
static bough_status join(reader *r, const uint32_t port[2], bough_slice width, bough_slice speed) {
    bough_parsed_fabric *parsed = r->ports.parsed;
    bough_status status = port_list_join(&r->ports, port[0], port[1], r->scan->line);
    if (status) return status;
    bough_parsed_port *p = &parsed->port[port[0]], *q = &parsed->port[port[1]];
    bough_parsed_set_rate(parsed, p, width, link_speed_name(speed));
    if (q->own.width) return BOUGH_OK;
    q->own.width = p->own.width;
    q->own.rate = p->own.rate;
    memcpy(q->own.speed, p->own.speed, sizeof q->own.speed);
    return BOUGH_OK;
}

static bough_status read_line(reader *r) {
    end e[2] = {0};
    uint32_t port[2];
    bough_slice width, state, speed;
    bough_status status = BOUGH_OK;
    for (int i = 0; i < 2; i++) {
        e[i].description.text = "";
        TRY(read_end(r->scan, &e[i]));
    }
    TRY(read_link(r->scan, &width, &state, &speed));
    for (int i = 0; i < 2; i++) TRY(enter_end(r, &e[i], &port[i]));
    if (status) return status;
    bool down = bough_slice_is(state, "DWN") || bough_slice_is(state, "DOWN");
    return down ? BOUGH_OK : join(r, port, width, speed);
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.scan = scan, .ports = PORT_LIST(parsed)};
    bough_status status = BOUGH_OK;
    while (!status && scan_line(scan))
        if (!scan_done(scan) && *scan->at != '#') status = read_line(&r);
    return status;
}

static bool recognise(const scanner *s) {
    return scan_starts(s, "{ CA") || scan_starts(s, "{ SW") || scan_starts(s, "{ R");
}

const bough_fabric_reader bough_reader_subnet_list = {
    .format = "lst", .rank = 5, .recognise = recognise, .read = read_file};
