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
    bough_slice width, speed;
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
static bool rate_word(bough_slice word, facts *f) {
    const char *text = word.text;
    size_t width = 0;
    while (width < word.length && width < 3 && text[width] >= '0' && text[width] <= '9') width++;
    if (width && width < word.length && text[width] == 'x')
        width++;
    else if (word.length > 2 && text[0] == '?' && text[1] == '?')
        width = 2;
    else
        return false;
    f->has_rate = true;
    f->width = (bough_slice){text, width};
    f->speed = (bough_slice){text + width, word.length - width};
    return true;
}

/* "enhanced port 0", "(scp)", "slot 3", and with -f "s=4 w=2 v=4". */
static bool is_ignored(bough_slice word) {
    static const char *const words[] = {"enhanced", "base", "port", "slot", "0", "(scp)"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bough_slice_is(word, words[i])) return true;
    if (word.length > 2 && word.text[1] == '=' && strchr("swv", word.text[0])) return true;
    return word.length <= 3 && word.text[0] >= '0' && word.text[0] <= '9'; /* after "port" or "slot" */
}

/* Reads the words up to the end of the line or the next quote. */
static bough_status read_facts(reader *r, facts *f) {
    bough_scan *s = r->scan;
    *f = (facts){0};
    while (!bough_scan_done(s) && *s->at != '"') {
        bough_slice word;
        bough_status status = BOUGH_OK;
        bough_scan_word(s, &word);
        if (bough_slice_is(word, "lid")) {
            status = read_lid(r, &f->lid);
            f->has_lid = true;
        } else if (bough_slice_is(word, "lmc")) {
            status = read_lmc(r, &f->lmc);
            f->has_lmc = true;
        } else if (!rate_word(word, f) && !is_ignored(word)) {
            char text[40];
            bough_copy_printable(word.text, word.length, text, sizeof text);
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
    facts f = {0};
    bough_scan_blanks(s);
    if (!bough_scan_number(s, &ports) || ports > BOUGH_PORT_MAX)
        return unreadable(r, "invalid number of ports; expected 0 to 254");
    bough_scan_blanks(s);
    bough_status status = read_node_id(r, &node.own.kind, &node.own.guid);
    if (status) return status;
    if (node.own.kind != kind)
        return unreadable(r, "the letter of the node name does not match the kind of node");
    bough_scan_blanks(s);
    if (bough_scan_text(s, "#")) {
        bough_scan_blanks(s);
        described = bough_scan_quoted(s, '"', &node.description);
        if (!described) return unreadable(r, "invalid description of the node; expected a text in quotes");
        status = read_facts(r, &f);
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
    bough_slice description;
    facts own, peer = {0};
    bough_status status = read_facts(r, &own);
    if (status) return status;
    if (!bough_scan_quoted(s, '"', &description))
        return unreadable(r, "invalid description of the other end; expected a text in quotes");
    status = read_facts(r, &peer);
    if (status) return status;
    if (!bough_scan_done(s)) return unreadable(r, "unexpected text at the end of the line");
    p->own.lid = own.lid;
    p->own.lmc = own.lmc;
    p->peer_lid = peer.lid;
    if (!peer.has_rate) return BOUGH_OK;
    if (!bough_parsed_set_rate(r->parsed, p, peer.width, peer.speed) && s->open)
        return unreadable(r, "invalid link rate");
    return BOUGH_OK;
}

/* [1]  "H-0002c90300000038"[1](2c90300000039)    # "h0014 HCA-1" lid 23 4xQDR */
static bough_status read_port(reader *r) {
    bough_scan *s = r->scan;
    bough_parsed_port p = {.own.node = r->node, .line = s->line, .cabled = true};
    if (r->node == BOUGH_NO_INDEX) return unreadable(r, "port before the first node");
    bough_status status = read_port_number(r, &p.own.number);
    TRY(read_port_guid(r, &p.own.guid));
    if (status) return status;
    bough_scan_blanks(s);
    status = read_node_id(r, &p.peer_kind, &p.peer_key);
    TRY(read_port_number(r, &p.peer_number));
    TRY(read_port_guid(r, &p.peer_guid));
    if (status) return status;
    bough_scan_blanks(s);
    if (bough_scan_text(s, "#")) {
        status = read_port_comment(r, &p);
        if (status) return status;
    }
    if (!bough_scan_done(s)) return unreadable(r, "unexpected text at the end of the line");
    if (s->open && !p.own.speed[0]) return unreadable(r, "expected a link rate such as 4xQDR");
    return bough_parsed_add_port(r->parsed, &p, r->error);
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

static bough_status read_file(bough_scan *scan, bough_parsed_fabric *parsed, bough_error *error) {
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
        else if (skip_line(&r))
            status = BOUGH_OK;
        else
            status =
                unreadable(&r, "expected a line of ibnetdiscover: \"Switch\", \"Ca\", \"Rt\" or a port [N]");
        if (status) return status;
    }
    if (r.pending) return bough_scan_fail(scan, error, "the file ends within a node");
    return BOUGH_OK;
}

static bool recognise(const bough_scan *s) {
    static const char *const start[] = {"vendid=", "devid=",   "sysimgguid=",       "switchguid=", "caguid=",
                                        "rtguid=", "Chassis ", "Non-Chassis Nodes", "Hostname:"};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        if (bough_scan_starts(s, start[i])) return true;
    return bough_scan_is_count(s, "Switch") || bough_scan_is_count(s, "Ca") || bough_scan_is_count(s, "Rt");
}

const bough_fabric_reader bough_reader_ibnetdiscover = {
    .format = "ibnetdiscover", .rank = 5, .recognise = recognise, .read = read_file};
