/* Netlists for ibsim whose nodes have names of their own, as in the examples that come with it; those that
 * are output of ibnetdiscover have "S-" or "H-" and a GUID in this place.
 *
 *   Switch  8 "Switch1"
 *   [1]     "Hca1"[1]
 *   [3]     "Switch2"[3]
 *
 *   Hca     2 "Hca1"
 *   [1]     "Switch1"[1]
 *
 * Ports that are joined name each other. Such a file has no LIDs and no rates: it is a list of cables. */
#include "base/status/try.h"
#include "formats/fabrics/cable_list.h"

typedef struct reader {
    scanner *scan;
    bough_cables cables;
    uint32_t node; /* its ports follow */
} reader;

static bool read_kind(scanner *s, bough_cable_kind *kind) {
    *kind = scan_text(s, "Switch") ? BOUGH_CABLE_SWITCH : BOUGH_CABLE_HOST;
    return *kind == BOUGH_CABLE_SWITCH || scan_text(s, "Hca") || scan_text(s, "Ca");
}

/* Switch  8 "Switch1" */
static bool read_head(scanner *s, bough_cable_kind *kind, bough_slice *name) {
    uint64_t ports;
    return read_kind(s, kind) && scan_blanks(s) && scan_number(s, &ports) && scan_blanks(s) &&
           scan_quoted(s, '"', name);
}

static bool has_guid(bough_slice name) {
    return name.length > 2 && name.text[1] == '-' && strchr("SHR", name.text[0]);
}

static bool recognise(const scanner *scan) {
    scanner s = *scan;
    bough_cable_kind kind;
    bough_slice name;
    return read_head(&s, &kind, &name) && !has_guid(name);
}

/* [3] */
static bool read_port_number(scanner *s, bough_slice *port) {
    uint64_t number;
    if (!scan_text(s, "[")) return false;
    port->text = s->at;
    if (!scan_number(s, &number) || number < 1 || number > BOUGH_PORT_MAX) return false;
    port->length = (size_t)(s->at - port->text);
    return scan_text(s, "]");
}

/* [3]     "Switch2"[3]     # and what ibsim is told of the link: w=4 s=4 */
static bough_status read_port(reader *r) {
    scanner *s = r->scan;
    bough_cable cable = {.end[0].node = r->node, .line = s->line};
    bough_slice name;
    if (r->node == BOUGH_NO_INDEX) return scan_fail(s, "port before the first node");
    if (!read_port_number(s, &cable.end[0].port))
        return scan_fail(s, "invalid port number; expected [N], N from 1 to %d", BOUGH_PORT_MAX);
    scan_blanks(s);
    if (!scan_quoted(s, '"', &name) || !name.length)
        return scan_fail(s, "expected the name of the node at the other end, in quotes");
    if (!read_port_number(s, &cable.end[1].port))
        return scan_fail(s, "expected the port at the other end: [N], N from 1 to %d", BOUGH_PORT_MAX);
    bough_status status = bough_cables_node(&r->cables, name, s->line, &cable.end[1].node);
    return status ? status : bough_cables_add(&r->cables, &cable);
}

static bough_status read_line(reader *r) {
    scanner *s = r->scan;
    bough_cable_kind kind;
    bough_slice name;
    if (scan_done(s) || *s->at == '#') return BOUGH_OK;
    if (*s->at == '[') return read_port(r);
    if (!read_head(s, &kind, &name) || !name.length)
        return scan_fail(s, "expected a line of a netlist: Switch or Hca, a number of ports and a name in "
                            "quotes; or a port: [N] \"NAME\"[N]");
    bough_status status = bough_cables_node(&r->cables, name, s->line, &r->node);
    if (!status) r->cables.node[r->node].kind = kind;
    return status;
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.scan = scan, .cables = BOUGH_CABLES(parsed), .node = BOUGH_NO_INDEX};
    bough_status status = BOUGH_OK;
    while (!status && scan_line(scan)) status = read_line(&r);
    TRY(bough_cables_finish(&r.cables));
    return status;
}

const bough_fabric_reader bough_reader_netlist = {.format = "net", .recognise = recognise, .read = read_file};
