/* The plain output of ibnetdiscover (also with -g, -f and -s): blocks of
 *
 *   switchguid=0x2c90200400038(2c90200400038)
 *   Switch  4 "S-0002c90200400038"    # "L1-0007" base port 0 lid 22 lmc 0
 *   [1]  "H-0002c90300000038"[1](2c90300000039)    # "h0014 HCA-1" lid 23 4xQDR
 *
 *   Ca  1 "H-0002c90300000038"    # "h0014 HCA-1"
 *   [1](2c90300000039)  "S-0002c90200400038"[1]    # lid 23 lmc 0 "L1-0007" lid 22 4xQDR
 *
 * The quoted text after # is the description of the node; in the line of a port, that of the other end. It
 * may contain quotes and #. Netlists for ibsim have the same form, and their comments may be missing, except
 * on a last line without a line end, which is treated as truncated. */
#include "base/status/try.h"
#include "network/files/ibnetdiscover_lines.h"

#include <inttypes.h>
#include <string.h>

typedef struct reader {
    bough_scan *scan;
    bough_parsed_fabric *parsed;
    bough_error *error;
    uint32_t node;                  /* its ports follow */
    bool pending;                   /* "vendid=" etc. were read, but not yet their node */
    bool grouped;                   /* with -g the switches of a chassis are printed twice */
    usual_ports found[INPUT_PARTS]; /* of each part */
    const usual_ports *usual;       /* of the current part */
    size_t next;                    /* of them */
} reader;

static bough_status unreadable(reader *r, const char *what) {
    return bough_scan_fail(r->scan, r->error, "%s", what);
}

/* Adds the node whose ports follow, unless it exists. */
static bough_status enter_node(reader *r, const bough_parsed_node *node) {
    bough_parsed_fabric *parsed = r->parsed;
    uint64_t guid = node->own.guid;
    bough_index_map *guids = &parsed->guids[node->own.kind];
    r->node = bough_index_map_get(guids, guid);
    if (r->node != BOUGH_NO_INDEX) {
        /* Its ports are compared after all have been read. */
        bough_log_finding(
            &parsed->log,
            &(bough_finding_head){r->grouped ? BOUGH_INFO : BOUGH_WARN, "duplicate-node", .line = node->line},
            "the node with GUID %016" PRIx64 " is listed again; it was first listed on line %" PRIu32, guid,
            parsed->line[r->node]);
        return BOUGH_OK;
    }
    for (int k = 0; k < 3; k++)
        if (bough_index_map_get(&parsed->guids[k], guid) != BOUGH_NO_INDEX)
            bough_log_finding(&parsed->log,
                              &(bough_finding_head){BOUGH_ERROR, "duplicate-guid", .line = node->line},
                              "another kind of node has the GUID %016" PRIx64 " too", guid);
    bough_status status = bough_parsed_add_node(parsed, node, &r->node, r->error);
    TRY(bough_index_map_put(guids, guid, r->node, r->error));
    return status;
}

/* Switch  4 "S-0002c90200400038"    # "L1-0007" base port 0 lid 22 lmc 0 */
static bough_status read_node(reader *r, bough_fabric_kind kind) {
    bough_scan *s = r->scan;
    bough_parsed_node node = {.description.text = "", .line = s->line};
    uint64_t ports;
    bool described = false;
    ibnet_facts f = {0};
    bough_scan_blanks(s);
    if (!bough_scan_number(s, &ports) || ports > BOUGH_PORT_MAX)
        return unreadable(r, "invalid number of ports; expected 0 to 254");
    bough_scan_blanks(s);
    bough_status status = ibnet_read_node(s, &node.own.kind, &node.own.guid, r->error);
    if (status) return status;
    if (node.own.kind != kind)
        return unreadable(r, "the letter of the node name does not match the kind of node");
    bough_scan_blanks(s);
    if (bough_scan_text(s, "#")) {
        bough_scan_blanks(s);
        described = bough_scan_quoted(s, '"', &node.description);
        if (!described) return unreadable(r, "invalid description of the node; expected a text in quotes");
        status = ibnet_read_facts(s, &f, r->error);
        if (status) return status;
    }
    if (!bough_scan_done(s)) return unreadable(r, "unexpected text at the end of the line");
    if (s->open && (kind == BOUGH_FABRIC_SWITCH ? !f.has_lmc : !described))
        return unreadable(r, "expected the description of the node");
    r->pending = false;
    node.own.lid = f.lid;
    node.own.lmc = f.lmc;
    node.own.ports_declared = (uint32_t)ports;
    return enter_node(r, &node);
}

/* [1]  "H-0002c90300000038"[1](2c90300000039)    # "h0014 HCA-1" lid 23 4xQDR */
static bough_status read_port(reader *r) {
    ibnet_port p;
    if (r->node == BOUGH_NO_INDEX) return unreadable(r, "port before the first node");
    bough_status status = ibnet_read_port(r->scan, &p, r->error);
    if (status) return status;
    p.port.own.node = r->node;
    if (p.odd_rate) bough_parsed_set_rate(r->parsed, &p.port, p.width, p.speed);
    return bough_parsed_add_port(r->parsed, &p.port, r->error);
}

/* Reads the next line if it is that of a usual port. Returns false for all others, and has read nothing. */
static bool read_usual(reader *r, bough_status *status) {
    const usual_ports *u = r->usual;
    if (!u || r->next == u->count || u->item[r->next].start != r->scan->cursor) return false;
    if (r->node == BOUGH_NO_INDEX) return false;
    const usual_port *usual = &u->item[r->next++];
    bough_parsed_port p = usual->port;
    r->scan->cursor = usual->end;
    r->scan->open = false;
    p.line = ++r->scan->line;
    p.own.node = r->node;
    *status = bough_parsed_add_port(r->parsed, &p, r->error);
    return true;
}

/* Lines without relevant content. */
static bool skip_line(reader *r) {
    static const char *const starts[] = {
        "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid="};
    static const char *const titles[] = {"DR path", "Chassis ", "Non-Chassis Nodes", "Hostname:"};
    bough_scan *s = r->scan;
    if (bough_scan_done(s) || *s->at == '#') return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (bough_scan_starts(s, starts[i])) return r->pending = true;
    if (bough_scan_starts(s, "Chassis ")) r->grouped = true;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (bough_scan_starts(s, titles[i])) return true;
    if (bough_scan_starts(s, "[") || !bough_scan_complaint(s)) return false;
    r->parsed->complaints++;
    return true;
}

static bough_status read_line(reader *r) {
    bough_scan *s = r->scan;
    if (bough_scan_text(s, "Switch\t") || bough_scan_text(s, "Switch "))
        return read_node(r, BOUGH_FABRIC_SWITCH);
    if (bough_scan_text(s, "Ca\t") || bough_scan_text(s, "Ca ")) return read_node(r, BOUGH_FABRIC_ADAPTER);
    if (bough_scan_text(s, "Rt\t") || bough_scan_text(s, "Rt ")) return read_node(r, BOUGH_FABRIC_ROUTER);
    if (bough_scan_starts(s, "[")) return read_port(r);
    if (skip_line(r)) return BOUGH_OK;
    return unreadable(r, "expected a line of ibnetdiscover: \"Switch\", \"Ca\", \"Rt\" or a port [N]");
}

/* Reads the lines from the cursor on. */
static bough_status read_lines(reader *r) {
    bough_status status = BOUGH_OK;
    r->next = 0;
    while (!status) {
        if (read_usual(r, &status)) continue;
        if (!bough_scan_line(r->scan)) break;
        status = read_line(r);
    }
    return status;
}

static bough_status end_file(const reader *r) {
    return r->pending ? bough_scan_fail(r->scan, r->error, "the file ends within a node") : BOUGH_OK;
}

static bough_status read_file(bough_scan *scan, bough_parsed_fabric *parsed, bough_error *error) {
    reader r = {.scan = scan, .parsed = parsed, .error = error, .node = BOUGH_NO_INDEX};
    bough_status status = read_lines(&r);
    return status ? status : end_file(&r);
}

static void find_usual(void *context, unsigned worker, const input_part *part) {
    reader *r = context;
    (void)worker;
    usual_ports_find(part->data, part->size, &r->found[part->number]);
}

static bough_status read_part(void *context, const input_part *part) {
    reader *r = context;
    bough_status status = BOUGH_OK;
    if (!part->size) return end_file(r);
    r->usual = &r->found[part->number];
    if (r->usual->zero) status = bough_scan_more(r->scan, part->data, part->size, r->error);
    r->scan->cursor = part->data;
    r->scan->end = part->data + part->size;
    TRY(read_lines(r));
    return status;
}

/* Bytes of the lines of a node and of a port, which are longer in most files: memory is not used before it is
 * written. */
enum { NODE_LIKELY = 192, PORT_LIKELY = 64 };

static bough_status read_blocks(input_blocks *blocks, unsigned threads, bough_parsed_fabric *parsed,
                                bough_error *error) {
    bough_scan scan;
    reader r = {.scan = &scan, .parsed = parsed, .error = error, .node = BOUGH_NO_INDEX};
    const input_taker taker = {find_usual, read_part, &r};
    bough_status status = bough_scan_start(&scan, parsed->name, "", 0, error);
    bough_parsed_expect(parsed, input_blocks_size(blocks) / NODE_LIKELY,
                        input_blocks_size(blocks) / PORT_LIKELY);
    TRY(input_blocks_each(blocks, threads, &taker, error));
    for (unsigned i = 0; i < INPUT_PARTS; i++) usual_ports_fini(&r.found[i]);
    return status;
}

static bool recognise(const bough_scan *s) {
    static const char *const start[] = {"vendid=", "devid=",   "sysimgguid=",       "switchguid=", "caguid=",
                                        "rtguid=", "Chassis ", "Non-Chassis Nodes", "Hostname:"};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        if (bough_scan_starts(s, start[i])) return true;
    return bough_scan_is_count(s, "Switch") || bough_scan_is_count(s, "Ca") || bough_scan_is_count(s, "Rt");
}

const bough_fabric_reader bough_reader_ibnetdiscover = {.format = "ibnetdiscover",
                                                        .rank = 5,
                                                        .recognise = recognise,
                                                        .read = read_file,
                                                        .read_blocks = read_blocks};
