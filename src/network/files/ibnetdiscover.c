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
#include "base/text/utf8.h"
#include "network/imported/parsed_fabric.h"

#include <inttypes.h>
#include <string.h>

typedef struct reader {
    bough_scan *scan;
    bough_parsed_fabric *parsed;
    bough_error *error;
    uint32_t node; /* its ports follow */
    bool pending;  /* "vendid=" etc. were read, but not yet their node */
    bool grouped;  /* with -g the switches of a chassis are printed twice */
} reader;

/* The text around the quoted description. */
typedef struct facts {
    bool has_lid, has_lmc, has_rate;
    uint32_t lid;
    uint8_t lmc;
    const char *width, *speed;
    size_t width_length, speed_length;
} facts;

static bough_status unreadable(reader *r, const char *what) {
    return bough_scan_fail(r->scan, r->error, "%s", what);
}

/* A LID: 0 and 65535 mean none. */
static bough_status read_lid(reader *r, uint32_t *lid) {
    uint64_t value;
    bough_scan_blanks(r->scan);
    if (!bough_scan_number(r->scan, &value)) return unreadable(r, "expected a number after \"lid\"");
    if (value == 0xFFFF) value = 0;
    if (value > BOUGH_LID_MAX)
        return bough_scan_fail(r->scan, r->error, "LID %" PRIu64 " is too large; unicast LIDs end at %d",
                               value, BOUGH_LID_MAX);
    *lid = (uint32_t)value;
    return BOUGH_OK;
}

static bough_status read_lmc(reader *r, uint8_t *lmc) {
    uint64_t value;
    bough_scan_blanks(r->scan);
    if (!bough_scan_number(r->scan, &value) || value > 7)
        return unreadable(r, "expected a number from 0 to 7 after \"lmc\"");
    *lmc = (uint8_t)value;
    return BOUGH_OK;
}

/* "4xQDR"; without an active link "4x???" or even "?????". */
static bool rate_word(const char *word, size_t length, facts *f) {
    size_t width = 0;
    while (width < length && width < 3 && word[width] >= '0' && word[width] <= '9') width++;
    if (width && width < length && word[width] == 'x')
        width++;
    else if (length > 2 && word[0] == '?' && word[1] == '?')
        width = 2;
    else
        return false;
    f->has_rate = true;
    f->width = word;
    f->width_length = width;
    f->speed = word + width;
    f->speed_length = length - width;
    return true;
}

/* Ignored words: "enhanced port 0", "(scp)", "slot 3", and with -f "s=4 w=2 v=4". */
static bool noise(const char *word, size_t length) {
    static const char *const words[] = {"enhanced", "base", "port", "slot", "0", "(scp)"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) return true;
    if (length > 2 && word[1] == '=' && strchr("swv", word[0])) return true;
    return length <= 3 && word[0] >= '0' && word[0] <= '9'; /* after "port" or "slot" */
}

/* Reads the words up to the end of the line or the next quote. */
static bough_status read_facts(reader *r, facts *f) {
    bough_scan *s = r->scan;
    *f = (facts){0};
    while (!bough_scan_done(s) && *s->at != '"') {
        const char *word;
        size_t length;
        bough_status status = BOUGH_OK;
        bough_scan_word(s, &word, &length);
        if (length == 3 && memcmp(word, "lid", 3) == 0) {
            status = read_lid(r, &f->lid);
            f->has_lid = true;
        } else if (length == 3 && memcmp(word, "lmc", 3) == 0) {
            status = read_lmc(r, &f->lmc);
            f->has_lmc = true;
        } else if (!rate_word(word, length, f) && !noise(word, length)) {
            char text[40];
            bough_copy_printable(word, length, text, sizeof text);
            status =
                bough_scan_fail(s, r->error, "unexpected \"%s\"; expected \"lid N\" or a link rate", text);
        }
        if (status) return status;
    }
    return BOUGH_OK;
}

/* "S-0002c90200400038" */
static bough_status read_node_id(reader *r, bough_fabric_kind *kind, uint64_t *guid) {
    bough_scan *s = r->scan;
    static const char *const start[] = {"\"S-", "\"H-", "\"R-"};
    for (int k = 0; k < 3; k++) {
        if (!bough_scan_text(s, start[k])) continue;
        *kind = (bough_fabric_kind)k;
        if (bough_scan_hex(s, guid) && bough_scan_text(s, "\"")) return BOUGH_OK;
        return unreadable(r, "invalid GUID in the quoted node name; expected 16 hexadecimal digits");
    }
    return unreadable(r, "expected a quoted node name: \"S-\", \"H-\" or \"R-\" and a GUID");
}

/* Adds the node whose ports follow, unless it exists. */
static bough_status enter_node(reader *r, const bough_fabric_node *node, const char *text, size_t length) {
    bough_parsed_fabric *parsed = r->parsed;
    uint32_t line = r->scan->line;
    bough_index_map *guids = &parsed->guids[node->kind];
    r->node = bough_index_map_get(guids, node->guid);
    if (r->node != BOUGH_NO_INDEX) {
        /* Its ports are compared after all have been read. */
        bough_log_finding(
            &parsed->log,
            &(bough_finding_head){r->grouped ? BOUGH_INFO : BOUGH_WARN, "duplicate-node", parsed->name, line},
            "the node with GUID %016" PRIx64 " is listed again; it was first listed on line %" PRIu32,
            node->guid, parsed->line[r->node]);
        return BOUGH_OK;
    }
    for (int k = 0; k < 3; k++)
        if (bough_index_map_get(&parsed->guids[k], node->guid) != BOUGH_NO_INDEX)
            bough_log_finding(&parsed->log,
                              &(bough_finding_head){BOUGH_ERROR, "duplicate-guid", parsed->name, line},
                              "another kind of node has the GUID %016" PRIx64 " too", node->guid);
    bough_status status =
        bough_parsed_add_node(parsed, node->kind, node->guid, text, length, line, &r->node, r->error);
    TRY(bough_index_map_put(guids, node->guid, r->node, r->error));
    if (status) return status;
    parsed->node[r->node].lid = node->lid;
    parsed->node[r->node].lmc = node->lmc;
    parsed->node[r->node].ports_declared = node->ports_declared;
    return BOUGH_OK;
}

/* Switch  4 "S-0002c90200400038"    # "L1-0007" base port 0 lid 22 lmc 0 */
static bough_status read_node(reader *r, bough_fabric_kind kind) {
    bough_scan *s = r->scan;
    bough_fabric_node node = {0};
    uint64_t ports;
    const char *text = "";
    size_t length = 0;
    bool described = false;
    facts f = {0};
    bough_scan_blanks(s);
    if (!bough_scan_number(s, &ports) || ports > BOUGH_PORT_MAX)
        return unreadable(r, "invalid number of ports; expected 0 to 254");
    bough_scan_blanks(s);
    bough_status status = read_node_id(r, &node.kind, &node.guid);
    if (status) return status;
    if (node.kind != kind)
        return unreadable(r, "the letter of the node name does not match the kind of node");
    bough_scan_blanks(s);
    if (bough_scan_text(s, "#")) {
        bough_scan_blanks(s);
        described = bough_scan_quoted(s, '"', &text, &length);
        if (!described) return unreadable(r, "invalid description of the node; expected a text in quotes");
        status = read_facts(r, &f);
        if (status) return status;
    }
    if (!bough_scan_done(s)) return unreadable(r, "unexpected text at the end of the line");
    if (s->open && (kind == BOUGH_FABRIC_SWITCH ? !f.has_lmc : !described))
        return unreadable(r, "expected the description of the node");
    r->pending = false;
    node.lid = f.lid;
    node.lmc = f.lmc;
    node.ports_declared = (uint32_t)ports;
    return enter_node(r, &node, text, length);
}

/* [1] or [1][ext 7] */
static bough_status read_port_number(reader *r, uint32_t *number) {
    bough_scan *s = r->scan;
    uint64_t value, external;
    if (!bough_scan_text(s, "[") || !bough_scan_number(s, &value) || !bough_scan_text(s, "]"))
        return unreadable(r, "invalid port number; expected it in brackets");
    if (value < 1 || value > BOUGH_PORT_MAX)
        return bough_scan_fail(s, r->error,
                               "port %" PRIu64 " does not exist; ports are numbered from 1 to %d", value,
                               BOUGH_PORT_MAX);
    *number = (uint32_t)value;
    if (bough_scan_text(s, "[ext ") && (!bough_scan_number(s, &external) || !bough_scan_text(s, "]")))
        return unreadable(r, "invalid external port number; expected [ext N]");
    return BOUGH_OK;
}

/* (2c90300000039), or nothing */
static bough_status read_port_guid(reader *r, uint64_t *guid) {
    bough_scan *s = r->scan;
    *guid = 0;
    bough_scan_blanks(s);
    if (!bough_scan_text(s, "(")) return BOUGH_OK;
    if (bough_scan_hex(s, guid) && bough_scan_text(s, ")")) return BOUGH_OK;
    return unreadable(r, "invalid port GUID; expected hexadecimal digits in parentheses");
}

/* The text after # in the line of a port. */
static bough_status read_port_comment(reader *r, bough_parsed_port *p) {
    bough_scan *s = r->scan;
    const char *text;
    size_t length;
    facts own, peer = {0};
    bough_status status = read_facts(r, &own);
    if (status) return status;
    if (!bough_scan_quoted(s, '"', &text, &length))
        return unreadable(r, "invalid description of the other end; expected a text in quotes");
    status = read_facts(r, &peer);
    if (status) return status;
    if (!bough_scan_done(s)) return unreadable(r, "unexpected text at the end of the line");
    p->own.lid = own.lid;
    p->own.lmc = own.lmc;
    p->peer_lid = peer.lid;
    if (!peer.has_rate) return BOUGH_OK;
    if (!bough_parsed_set_rate(r->parsed, p, peer.width, peer.width_length, peer.speed, peer.speed_length) &&
        s->open)
        return unreadable(r, "invalid link rate");
    return BOUGH_OK;
}

/* [1]  "H-0002c90300000038"[1](2c90300000039)    # "h0014 HCA-1" lid 23 4xQDR */
static bough_status read_port(reader *r) {
    bough_scan *s = r->scan;
    bough_parsed_port p = {.line = s->line, .cabled = true, .peer_node = BOUGH_NO_INDEX}, *added;
    if (r->node == BOUGH_NO_INDEX) return unreadable(r, "port before the first node");
    bough_status status = read_port_number(r, &p.own.number);
    TRY(read_port_guid(r, &p.own.guid));
    if (status) return status;
    bough_scan_blanks(s);
    status = read_node_id(r, &p.peer_kind, &p.peer_key);
    TRY(read_port_number(r, &p.peer_number));
    TRY(read_port_guid(r, &p.peer_guid));
    if (status) return status;
    p.own.node = r->node;
    p.own.peer = BOUGH_NO_INDEX;
    bough_scan_blanks(s);
    if (bough_scan_text(s, "#")) {
        status = read_port_comment(r, &p);
        if (status) return status;
    }
    if (!bough_scan_done(s)) return unreadable(r, "unexpected text at the end of the line");
    if (s->open && !p.own.speed[0]) return unreadable(r, "expected a link rate such as 4xQDR");
    status = bough_parsed_add_port(r->parsed, r->node, p.own.number, s->line, &added, r->error);
    if (!status) *added = p;
    return status;
}

/* Lines without relevant content. */
static bool passed_over(reader *r) {
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

bough_status bough_ibnetdiscover_read(bough_scan *scan, bough_parsed_fabric *parsed, bough_error *error) {
    reader r = {.scan = scan, .parsed = parsed, .error = error, .node = BOUGH_NO_INDEX};
    while (bough_scan_line(scan)) {
        bough_status status;
        if (bough_scan_text(scan, "Switch\t") || bough_scan_text(scan, "Switch "))
            status = read_node(&r, BOUGH_FABRIC_SWITCH);
        else if (bough_scan_text(scan, "Ca\t") || bough_scan_text(scan, "Ca "))
            status = read_node(&r, BOUGH_FABRIC_ADAPTER);
        else if (bough_scan_text(scan, "Rt\t") || bough_scan_text(scan, "Rt "))
            status = read_node(&r, BOUGH_FABRIC_ROUTER);
        else if (bough_scan_starts(scan, "["))
            status = read_port(&r);
        else if (passed_over(&r))
            status = BOUGH_OK;
        else
            status =
                unreadable(&r, "expected a line of ibnetdiscover: \"Switch\", \"Ca\", \"Rt\" or a port [N]");
        if (status) return status;
    }
    if (r.pending) return bough_scan_fail(scan, error, "the file ends within a node");
    return BOUGH_OK;
}
