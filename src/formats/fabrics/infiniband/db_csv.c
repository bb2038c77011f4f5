/* The fabric of ibdiagnet2.db_csv, and of opensm-smdb.dump of NVIDIA's OpenSM: sections NODES, PORTS and
 * LINKS, whose columns are found by their names. Of the other sections only the names are read. LINKS may
 * list a cable once or once from each end. */
#include "base/status/try.h"
#include "base/text/text.h"
#include "formats/fabrics/infiniband/db_sections.h"
#include "formats/fabrics/infiniband/infiniband_lines.h"
#include "formats/fabrics/infiniband/link_speeds.h"
#include "formats/fabrics/infiniband/port_list.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct reader {
    bough_parsed_fabric *parsed;
    db_sections sections;
    port_list ports;
    bough_index_map node; /* GUID -> node, of any kind */
    db_table table;       /* the current row */
} reader;

static void log_row(reader *r, const bough_finding_head *head, uint64_t guid, const char *rest) {
    bough_log_finding(&r->parsed->log, head,
                      "%.*s names the GUID %016" PRIx64 ", which %s; the line is ignored",
                      (int)(r->table.section.length < 40 ? r->table.section.length : 40),
                      r->table.section.text, guid, rest);
}

/* The node of a GUID; BOUGH_NO_INDEX, with a finding, if NODES does not list it. */
static uint32_t find_node(reader *r, uint64_t guid) {
    uint32_t node = bough_index_map_get(&r->node, guid);
    if (node == BOUGH_NO_INDEX)
        log_row(r, &(bough_finding_head){BOUGH_ERROR, "missing-node", .line = r->table.scan.line}, guid,
                "NODES does not list");
    return node;
}

/* ---- NODES ---- */

enum { NODE_GUID, NODE_TYPE, NODE_PORTS, NODE_TEXT };
static const db_columns node_columns = {4, 4, {"NodeGUID", "NodeType", "NumPorts", "NodeDesc"}};

static bough_status read_node(reader *r) {
    static const bough_fabric_kind kinds[] = {0, BOUGH_FABRIC_ADAPTER, BOUGH_FABRIC_SWITCH,
                                              BOUGH_FABRIC_ROUTER};
    const db_table *t = &r->table;
    uint64_t guid = 0, type = 0, ports = 0;
    uint32_t index;
    bough_status status = db_table_need(t, NODE_TYPE + 1);
    TRY(db_table_guid(t, NODE_GUID, &guid));
    TRY(db_table_number(t, NODE_TYPE, UINT64_MAX, &type));
    TRY(db_table_number(t, NODE_PORTS, BOUGH_PORT_MAX + 1, &ports));
    if (status) return status;
    if (type < 1 || type > 3)
        return scan_fail(&t->scan, "NodeType is %" PRIu64 "; expected 1 (adapter), 2 (switch) or 3 (router)",
                         type);
    if (bough_index_map_get(&r->node, guid) != BOUGH_NO_INDEX) {
        log_row(r, &(bough_finding_head){BOUGH_WARN, "duplicate-node", .line = t->scan.line}, guid,
                "was listed before");
        return BOUGH_OK;
    }
    bough_parsed_node node = {.own = {.kind = kinds[type], .guid = guid, .ports_declared = (uint32_t)ports},
                              .description = t->cell[NODE_TEXT],
                              .line = t->scan.line};
    if (!node.description.text) node.description.text = "";
    status = port_list_node(&r->ports, &node, &index);
    TRY(bough_index_map_put(&r->node, guid, index, r->parsed->error));
    return status;
}

/* ---- PORTS ---- */

enum { PORT_NODE, PORT_NUMBER, PORT_LID, PORT_WIDTH, PORT_SPEED, PORT_GUID, PORT_LMC };
static const db_columns port_columns = {
    7,
    6,
    {"NodeGuid", "PortNum", "LID", "LinkWidthActv|LinkWidth", "LinkSpeedActv|LinkSpeed", "PortGuid", "LMC"}};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* "4x", "NDR" */
static bool is_name(bough_slice cell, size_t column) {
    if (cell.length < 2) return false;
    const char last = cell.text[cell.length - 1];
    return column == PORT_WIDTH ? is_digit(*cell.text) && (last == 'x' || last == 'X')
                                : !is_digit(*cell.text);
}

/* The code of PortInfo, or a name. */
static bough_status read_code(const db_table *t, size_t column, uint64_t *code, bough_slice *name) {
    if (!is_name(t->cell[column], column)) return db_table_number(t, column, UINT32_MAX, code);
    *name = t->cell[column];
    return BOUGH_OK;
}

/* The speed of a lane; a number without a name becomes the text of a finding. */
static bough_status set_rate(reader *r, bough_parsed_port *port) {
    const db_table *t = &r->table;
    uint64_t width = 0, speed = 0;
    bough_slice w = {0}, s = {0};
    bough_status status = read_code(t, PORT_WIDTH, &width, &w);
    TRY(read_code(t, PORT_SPEED, &speed, &s));
    if (status || (!width && !w.length) || (!speed && !s.length)) return status;
    if (width) w = link_width_of_code(width);
    if (speed) s = link_speed_of_code(speed);
    bough_parsed_set_rate(r->parsed, port, w.length ? link_width_name(w) : t->cell[PORT_WIDTH],
                          s.length ? s : t->cell[PORT_SPEED]);
    return BOUGH_OK;
}

static bough_status read_port(reader *r) {
    const db_table *t = &r->table;
    uint64_t node_guid = 0, number = 0, lid = 0, lmc = 0;
    bough_parsed_port port = {.line = t->scan.line};
    uint32_t index;
    bough_status status = db_table_need(t, PORT_NUMBER + 1);
    TRY(db_table_guid(t, PORT_NODE, &node_guid));
    TRY(db_table_guid(t, PORT_GUID, &port.own.guid));
    TRY(db_table_number(t, PORT_NUMBER, BOUGH_PORT_MAX, &number));
    TRY(db_table_number(t, PORT_LID, UINT16_MAX, &lid));
    TRY(db_table_number(t, PORT_LMC, 7, &lmc));
    if (status) return status;
    status = lid_or_none(&t->scan, lid, &port.own.lid);
    if (status) return status;
    port.own.node = find_node(r, node_guid);
    if (port.own.node == BOUGH_NO_INDEX) return BOUGH_OK;
    bough_fabric_node *node = &r->parsed->node[port.own.node];
    bool is_switch = node->kind == BOUGH_FABRIC_SWITCH;
    if (number == 0 && is_switch) node->lid = port.own.lid, node->lmc = (uint8_t)lmc;
    if (number == 0) return BOUGH_OK;
    port.own.number = (uint32_t)number;
    if (is_switch)
        port.own.guid = 0, port.own.lid = 0;
    else
        port.own.lmc = (uint8_t)lmc;
    if (port_list_find(&r->ports, port.own.node, port.own.number) != BOUGH_NO_INDEX) {
        log_row(r, &(bough_finding_head){BOUGH_WARN, "duplicate-port", .line = port.line}, node_guid,
                "has this port on an earlier line too");
        return BOUGH_OK;
    }
    status = set_rate(r, &port);
    return status ? status : port_list_port(&r->ports, &port, &index);
}

/* ---- LINKS ---- */

static const db_columns link_columns = {4, 4, {"NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2"}};

/* One end of a cable: 0 or 1. */
static bough_status read_end(reader *r, size_t which, uint32_t *port) {
    const db_table *t = &r->table;
    uint64_t guid = 0, number = 0;
    *port = BOUGH_NO_INDEX;
    bough_status status = db_table_need(t, t->columns->count);
    TRY(db_table_guid(t, 2 * which, &guid));
    TRY(db_table_number(t, 2 * which + 1, BOUGH_PORT_MAX, &number));
    if (status) return status;
    if (number < 1) return scan_fail(&t->scan, "port 0 does not exist; ports are numbered from 1");
    uint32_t node = find_node(r, guid);
    if (node == BOUGH_NO_INDEX) return BOUGH_OK;
    bough_parsed_port p = {.own = {.node = node, .number = (uint32_t)number}, .line = t->scan.line};
    *port = port_list_find(&r->ports, node, p.own.number);
    if (*port != BOUGH_NO_INDEX) return BOUGH_OK;
    bough_log_finding(&r->parsed->log,
                      &(bough_finding_head){BOUGH_WARN, "missing-port", .line = t->scan.line},
                      "LINKS names port %" PRIu64 " of the node with GUID %016" PRIx64
                      ", which PORTS does not list; its rate is unknown",
                      number, guid);
    return port_list_port(&r->ports, &p, port);
}

static bough_status read_link(reader *r) {
    uint32_t port[2];
    bough_status status = read_end(r, 0, &port[0]);
    TRY(read_end(r, 1, &port[1]));
    if (status || port[0] == BOUGH_NO_INDEX || port[1] == BOUGH_NO_INDEX) return status;
    return port_list_join(&r->ports, port[0], port[1], r->table.scan.line);
}

/* ---- the file ---- */

static const struct used {
    const char *section;
    const db_columns *columns;
    bough_status (*read)(reader *r);
} used[] = {{"NODES", &node_columns, read_node},
            {"PORTS", &port_columns, read_port},
            {"LINKS", &link_columns, read_link}};
enum { USED = sizeof used / sizeof *used };

static bough_status read_sections(reader *r, const struct used *u) {
    bool found = false, more;
    for (size_t i = 0; i < r->sections.count; i++) {
        if (!bough_slice_is(r->sections.item[i].name, u->section)) continue;
        found = true;
        bough_status status = db_table_open(&r->sections.item[i], u->columns, &r->table);
        TRY(db_table_next(&r->table, &more));
        while (!status && more) {
            status = u->read(r);
            TRY(db_table_next(&r->table, &more));
        }
        if (status) return status;
    }
    return found ? BOUGH_OK
                 : bough_fail(r->parsed->error, BOUGH_INVALID, r->parsed->name,
                              "has no section %s; expected the sections NODES, PORTS and LINKS of ibdiagnet",
                              u->section);
}

static bool is_used(bough_slice name) {
    for (size_t u = 0; u < USED; u++)
        if (bough_slice_is(name, used[u].section)) return true;
    return false;
}

static bough_status list_unused(reader *r) {
    bough_text names = {0};
    size_t count = 0;
    for (size_t i = 0; i < r->sections.count; i++) {
        bough_slice name = r->sections.item[i].name;
        if (is_used(name)) continue;
        bough_text_printf(&names, "%s%.*s", count++ ? ", " : "", (int)(name.length < 64 ? name.length : 64),
                          name.text);
    }
    if (!count) return BOUGH_OK;
    char *list = bough_text_take(&names);
    if (!list) return bough_fail_memory(r->parsed->error, 0);
    bough_log_finding(&r->parsed->log, &(bough_finding_head){BOUGH_INFO, "unused-sections"},
                      "%zu sections of the file are not used: %s", count, list);
    free(list);
    return BOUGH_OK;
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.parsed = parsed, .ports = PORT_LIST(parsed), .node.memory = &parsed->memory};
    bough_status status = db_sections_find(scan, &r.sections);
    for (size_t u = 0; u < USED; u++) TRY(read_sections(&r, &used[u]));
    TRY(list_unused(&r));
    arena_fini(&r.sections.memory);
    return status;
}

static bool recognise(const scanner *scan) {
    return db_sections_start(scan);
}

const bough_fabric_reader bough_reader_db_csv = {
    .format = "db_csv", .rank = 7, .recognise = recognise, .read = read_file};
