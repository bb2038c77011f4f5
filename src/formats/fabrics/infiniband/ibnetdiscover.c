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
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/measures.h"
#include "base/text/terminal_text.h"
#include "formats/fabrics/infiniband/infiniband_lines.h"
#include "formats/fabrics/parsed_fabric.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- ibnetdiscover lines ---- */

/* Lines of ibnetdiscover, and the ports among them, which are found ahead of the reader on any thread. */

/* The text around a quoted description. */
typedef struct ibnet_facts {
    bool has_lmc, has_rate;
    uint32_t lid;
    uint8_t lmc;
    bough_slice width, speed;
    uint64_t rate; /* as such, without a width and a speed; else 0 */
} ibnet_facts;

/* The line of a port. */
typedef struct ibnet_port {
    bough_parsed_port port;
    bool odd_rate; /* the rate is unknown; its text: */
    bough_slice width, speed;
} ibnet_port;

/* A line of a port that has nothing to report; node and line of the port are not set. */
typedef struct usual_port {
    const char *start, *end;
    bough_parsed_port port;
} usual_port;

/* Those of a part of a file, in order. Zero-initialise; reused from part to part. */
typedef struct usual_ports {
    usual_port *item;
    size_t count, room;
    bool zero; /* there is a NUL byte */
} usual_ports;

/* A LID: 0 and 65535 mean none. */
static bough_status read_lid(scanner *s, uint32_t *lid) {
    uint64_t value;
    scan_blanks(s);
    if (!scan_number(s, &value)) return scan_fail(s, "expected a number after \"lid\"");
    return lid_or_none(s, value, lid);
}

static bough_status read_lmc(scanner *s, uint8_t *lmc) {
    uint64_t value;
    scan_blanks(s);
    if (!scan_number(s, &value) || value > 7)
        return scan_fail(s, "expected a number from 0 to 7 after \"lmc\"");
    *lmc = (uint8_t)value;
    return BOUGH_OK;
}

/* "12Gb/s", which netlists of bough have: no width and speed of InfiniBand have this rate. */
static bool plain_rate(bough_slice word, uint64_t *rate) {
    return word.length > 3 && memcmp(word.text + word.length - 3, "b/s", 3) == 0 &&
           measure_rate(word.text, word.length, false, rate);
}

/* "4xQDR"; without an active link "4x???" or even "?????". */
static bool rate_word(bough_slice word, ibnet_facts *f) {
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

/* Reads the words up to the end of the line or the next quote. Errors: INVALID. */
static bough_status ibnet_read_facts(scanner *s, ibnet_facts *f) {
    *f = (ibnet_facts){0};
    while (!scan_done(s) && *s->at != '"') {
        bough_slice word;
        bough_status status = BOUGH_OK;
        scan_word(s, &word);
        if (bough_slice_is(word, "lid"))
            status = read_lid(s, &f->lid);
        else if (bough_slice_is(word, "lmc")) {
            status = read_lmc(s, &f->lmc);
            f->has_lmc = true;
        } else if (!rate_word(word, f) && !plain_rate(word, &f->rate) && !is_ignored(word))
            status = scan_fail(s, "unexpected \"%s\"; expected \"lid N\" or a link rate", SHOWN(word));
        if (status) return status;
    }
    return BOUGH_OK;
}

/* "S-0002c90200400038". Errors: INVALID. */
static bough_status ibnet_read_node(scanner *s, bough_fabric_kind *kind, uint64_t *guid) {
    static const char *const start[] = {"\"S-", "\"H-", "\"R-"};
    for (int k = 0; k < 3; k++) {
        if (!scan_text(s, start[k])) continue;
        *kind = (bough_fabric_kind)k;
        if (scan_hex(s, guid) && scan_text(s, "\"")) return BOUGH_OK;
        return scan_fail(s, "invalid GUID in the quoted node name; expected 16 hexadecimal digits");
    }
    return scan_fail(s, "expected a quoted node name: \"S-\", \"H-\" or \"R-\" and a GUID");
}

/* [1] or [1][ext 7] */
static bough_status read_port_number(scanner *s, uint32_t *number) {
    uint64_t value, external;
    if (!scan_text(s, "[") || !scan_number(s, &value) || !scan_text(s, "]"))
        return scan_fail(s, "invalid port number; expected it in brackets");
    *number = (uint32_t)value;
    bough_status status = port_check(s, value);
    if (!status && scan_text(s, "[ext ") && (!scan_number(s, &external) || !scan_text(s, "]")))
        return scan_fail(s, "invalid external port number; expected [ext N]");
    return status;
}

/* (2c90300000039), or nothing */
static bough_status read_port_guid(scanner *s, uint64_t *guid) {
    *guid = 0;
    scan_blanks(s);
    if (!scan_text(s, "(")) return BOUGH_OK;
    if (scan_hex(s, guid) && scan_text(s, ")")) return BOUGH_OK;
    return scan_fail(s, "invalid port GUID; expected hexadecimal digits in parentheses");
}

/* The text after # in the line of a port. */
static bough_status read_port_comment(scanner *s, ibnet_port *p) {
    bough_slice description;
    ibnet_facts own, peer = {0};
    bough_status status = ibnet_read_facts(s, &own);
    if (status) return status;
    if (!scan_quoted(s, '"', &description))
        return scan_fail(s, "invalid description of the other end; expected a text in quotes");
    status = ibnet_read_facts(s, &peer);
    if (status) return status;
    if (!scan_done(s)) return scan_fail(s, "unexpected text at the end of the line");
    p->port.own.lid = own.lid;
    p->port.own.lmc = own.lmc;
    p->port.peer_lid = peer.lid;
    p->width = peer.width;
    p->speed = peer.speed;
    p->port.own.rate = peer.rate;
    p->odd_rate = peer.has_rate && !bough_parsed_rate(&p->port, peer.width, peer.speed);
    return BOUGH_OK;
}

/* [1]  "H-0002c90300000038"[1](2c90300000039)    # "h0014 HCA-1" lid 23 4xQDR
 * Sets all but the node of the port. Errors: INVALID. */
static bough_status ibnet_read_port(scanner *s, ibnet_port *p) {
    *p = (ibnet_port){.port = {.line = s->line, .cabled = true}};
    bough_parsed_port *port = &p->port;
    bough_status status = read_port_number(s, &port->own.number);
    TRY(read_port_guid(s, &port->own.guid));
    if (status) return status;
    scan_blanks(s);
    status = ibnet_read_node(s, &port->peer_kind, &port->peer_key);
    TRY(read_port_number(s, &port->peer_number));
    TRY(read_port_guid(s, &port->peer_guid));
    if (status) return status;
    scan_blanks(s);
    if (scan_text(s, "#")) {
        status = read_port_comment(s, p);
        if (status) return status;
    }
    if (!scan_done(s)) return scan_fail(s, "unexpected text at the end of the line");
    if (s->open && p->odd_rate) return scan_fail(s, "invalid link rate");
    if (s->open && !port->own.rate && !port->own.speed[0])
        return scan_fail(s, "expected a link rate such as 4xQDR");
    return BOUGH_OK;
}

enum { LINE_LIKELY = 64 }; /* bytes of a line that is shorter than most */

/* A file that ends within a line may be truncated, which is for the reader to judge. */
static bool is_usual(const scanner *line, ibnet_port *port) {
    scanner s = *line;
    return *s.at == '[' && !s.open && !ibnet_read_port(&s, port) && !port->odd_rate;
}

/* data: whole lines. Without memory for more ports, the rest are not usual. */
static void usual_ports_find(const char *data, size_t size, usual_ports *f) {
    ibnet_port port;
    scanner s = {.cursor = data, .end = data + size, .ends = true};
    f->count = 0;
    f->zero = memchr(data, 0, size) != NULL;
    if (bough_grow(&f->item, &f->room, size / LINE_LIKELY + 1, sizeof *f->item, NULL)) return;
    while (!f->zero && scan_line(&s)) {
        if (s.at == s.stop || !is_usual(&s, &port)) continue;
        if (bough_grow(&f->item, &f->room, f->count + 1, sizeof *f->item, NULL)) return;
        f->item[f->count++] = (usual_port){s.at, s.cursor, port.port};
    }
}

static void usual_ports_fini(usual_ports *f) {
    free(f->item);
}

/* ---- ibnetdiscover ---- */

typedef struct reader {
    scanner *scan;
    bough_parsed_fabric *parsed;
    uint32_t node;                  /* its ports follow */
    bool pending;                   /* "vendid=" etc. were read, but not yet their node */
    bool grouped;                   /* with -g the switches of a chassis are printed twice */
    usual_ports found[INPUT_PARTS]; /* of each part */
    const usual_ports *usual;       /* of the current part */
    size_t next;                    /* of them */
} reader;

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
    bough_status status = bough_parsed_add_node(parsed, node, &r->node);
    TRY(bough_index_map_put(guids, guid, r->node, r->scan->error));
    return status;
}

/* Switch  4 "S-0002c90200400038"    # "L1-0007" base port 0 lid 22 lmc 0 */
static bough_status read_node(reader *r, bough_fabric_kind kind) {
    scanner *s = r->scan;
    bough_parsed_node node = {.description.text = "", .line = s->line};
    uint64_t ports;
    bool described = false;
    ibnet_facts f = {0};
    scan_blanks(s);
    if (!scan_number(s, &ports) || ports > BOUGH_PORT_MAX)
        return scan_fail(s, "invalid number of ports; expected 0 to 254");
    scan_blanks(s);
    bough_status status = ibnet_read_node(s, &node.own.kind, &node.own.guid);
    if (status) return status;
    if (node.own.kind != kind)
        return scan_fail(s, "the letter of the node name does not match the kind of node");
    scan_blanks(s);
    if (scan_text(s, "#")) {
        scan_blanks(s);
        described = scan_quoted(s, '"', &node.description);
        if (!described) return scan_fail(s, "invalid description of the node; expected a text in quotes");
        status = ibnet_read_facts(s, &f);
        if (status) return status;
    }
    if (!scan_done(s)) return scan_fail(s, "unexpected text at the end of the line");
    if (s->open && (kind == BOUGH_FABRIC_SWITCH ? !f.has_lmc : !described))
        return scan_fail(s, "expected the description of the node");
    r->pending = false;
    node.own.lid = f.lid;
    node.own.lmc = f.lmc;
    node.own.ports_declared = (uint32_t)ports;
    return enter_node(r, &node);
}

/* [1]  "H-0002c90300000038"[1](2c90300000039)    # "h0014 HCA-1" lid 23 4xQDR */
static bough_status read_port(reader *r) {
    ibnet_port p;
    if (r->node == BOUGH_NO_INDEX) return scan_fail(r->scan, "port before the first node");
    bough_status status = ibnet_read_port(r->scan, &p);
    if (status) return status;
    p.port.own.node = r->node;
    if (p.odd_rate) bough_parsed_set_rate(r->parsed, &p.port, p.width, p.speed);
    return bough_parsed_add_port(r->parsed, &p.port);
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
    *status = bough_parsed_add_port(r->parsed, &p);
    return true;
}

/* Lines without relevant content. */
static bool skip_line(reader *r) {
    static const char *const starts[] = {
        "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid="};
    static const char *const titles[] = {"Chassis ", "Non-Chassis Nodes", "Hostname:"};
    scanner *s = r->scan;
    if (scan_done(s) || *s->at == '#') return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (scan_starts(s, starts[i])) return r->pending = true;
    if (scan_starts(s, "Chassis ")) r->grouped = true;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (scan_starts(s, titles[i])) return true;
    if (!terminal_noise(s)) return false;
    r->parsed->skipped++;
    return true;
}

static bough_status read_line(reader *r) {
    scanner *s = r->scan;
    if (scan_text(s, "Switch\t") || scan_text(s, "Switch ")) return read_node(r, BOUGH_FABRIC_SWITCH);
    if (scan_text(s, "Ca\t") || scan_text(s, "Ca ")) return read_node(r, BOUGH_FABRIC_ADAPTER);
    if (scan_text(s, "Rt\t") || scan_text(s, "Rt ")) return read_node(r, BOUGH_FABRIC_ROUTER);
    if (skip_line(r)) return BOUGH_OK;
    if (scan_starts(s, "[")) return read_port(r);
    return scan_fail(s, "expected a line of ibnetdiscover: \"Switch\", \"Ca\", \"Rt\" or a port [N]");
}

/* Reads the lines from the cursor on. */
static bough_status read_lines(reader *r) {
    bough_status status = BOUGH_OK;
    r->next = 0;
    while (!status) {
        if (read_usual(r, &status)) continue;
        if (!scan_line(r->scan)) break;
        status = read_line(r);
    }
    return status;
}

static bough_status end_file(const reader *r) {
    return r->pending ? scan_fail(r->scan, "the file ends within a node") : BOUGH_OK;
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.scan = scan, .parsed = parsed, .node = BOUGH_NO_INDEX};
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
    if (r->usual->zero) status = scan_more(r->scan, part->data, part->size);
    r->scan->cursor = part->data;
    r->scan->end = part->data + part->size;
    TRY(read_lines(r));
    return status;
}

/* Bytes of the lines of a node and of a port, which are longer in most files: memory is not used before it is
 * written. */
enum { NODE_LIKELY = 192, PORT_LIKELY = 64 };

static bough_status read_blocks(input_blocks *blocks, unsigned threads, bough_parsed_fabric *parsed) {
    scanner scan;
    reader r = {.scan = &scan, .parsed = parsed, .node = BOUGH_NO_INDEX};
    const input_taker taker = {find_usual, read_part, &r};
    bough_status status = scan_start(&scan, parsed->name, "", 0, parsed->error);
    bough_parsed_expect(parsed, input_blocks_size(blocks) / NODE_LIKELY,
                        input_blocks_size(blocks) / PORT_LIKELY);
    TRY(input_blocks_each(blocks, threads, &taker, parsed->error));
    for (unsigned i = 0; i < INPUT_PARTS; i++) usual_ports_fini(&r.found[i]);
    return status;
}

static bool recognise(const scanner *s) {
    static const char *const start[] = {"vendid=", "devid=",   "sysimgguid=",       "switchguid=", "caguid=",
                                        "rtguid=", "Chassis ", "Non-Chassis Nodes", "Hostname:"};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        if (scan_starts(s, start[i])) return true;
    return count_follows(s, "Switch") || count_follows(s, "Ca") || count_follows(s, "Rt");
}

const bough_fabric_reader bough_reader_ibnetdiscover = {.format = "ibnetdiscover",
                                                        .rank = 6,
                                                        .recognise = recognise,
                                                        .read = read_file,
                                                        .read_blocks = read_blocks};
