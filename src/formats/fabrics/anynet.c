/* BookSim anynet files: a line for each router or node with its neighbours, each followed by the latency of
 * the channel in cycles if it is not 1:
 *
 *   router 0 node 0 node 1 router 1 15
 *
 * Both directions of a channel are one cable, even if the file lists it twice. Latencies of single cables are
 * counted and ignored. */
#include "base/status/try.h"
#include "base/text/text.h"
#include "formats/fabrics/cable_list.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROUTER, NODE };

typedef struct reader {
    scanner *scan;
    bough_cables cables;
    bough_index_map pairs; /* two nodes -> 1 */
    uint64_t most[2], count[2], latencies;
} reader;

/* "router 12": which kind, and the number. */
static bool read_name(scanner *s, int *kind, uint64_t *number) {
    bool router = scan_text(s, "router");
    if (!router && !scan_text(s, "node")) return false;
    *kind = router ? ROUTER : NODE;
    return scan_blanks(s) && scan_number(s, number) &&
           (s->at == s->stop || *s->at == ' ' || *s->at == '\t' || *s->at == '\r');
}

static bool recognise(const scanner *scan) {
    scanner s = *scan;
    int kind;
    uint64_t number;
    scan_blanks(&s);
    return read_name(&s, &kind, &number);
}

static bough_status find_node(reader *r, int kind, uint64_t number, uint32_t *node) {
    char name[32];
    if (number > BOUGH_LID_MAX)
        return scan_fail(r->scan, "number %" PRIu64 " is too large; the range is 0 to %d", number,
                         BOUGH_LID_MAX);
    int length = snprintf(name, sizeof name, "%s%" PRIu64, kind == NODE ? "node" : "router", number);
    size_t before = r->cables.parsed->node_count;
    bough_status status =
        bough_cables_node(&r->cables, (bough_slice){name, (size_t)length}, r->scan->line, node);
    if (status || r->cables.parsed->node_count == before) return status;
    r->cables.node[*node].kind = kind == NODE ? BOUGH_CABLE_HOST : BOUGH_CABLE_SWITCH;
    r->cables.node[*node].order = number;
    r->count[kind]++;
    if (number > r->most[kind]) r->most[kind] = number;
    return BOUGH_OK;
}

static bough_status read_channel(reader *r, int kind, uint32_t head, int other, uint32_t body) {
    uint64_t key = head < body ? (uint64_t)head << 32 | body : (uint64_t)body << 32 | head;
    bough_cable cable = {.end = {{.node = head}, {.node = body}}, .line = r->scan->line};
    if (kind == NODE && other == NODE)
        return scan_fail(r->scan, "a channel between two nodes; expected a router at one end");
    if (bough_index_map_get(&r->pairs, key) != BOUGH_NO_INDEX) return BOUGH_OK;
    uint32_t host = kind == NODE ? head : body;
    if ((kind == NODE || other == NODE) && r->cables.node[host].cables)
        return scan_fail(r->scan, "%s has a second router; a node has only one",
                         r->cables.parsed->node[host].description);
    bough_status status = bough_index_map_put(&r->pairs, key, 1, r->scan->error);
    return status ? status : bough_cables_add(&r->cables, &cable);
}

static bough_status read_line(reader *r) {
    scanner *s = r->scan;
    int kind, other;
    uint64_t number, latency;
    uint32_t head, body;
    if (s->at < s->stop && s->stop[-1] == '\r') s->stop--;
    if (scan_done(s)) return BOUGH_OK;
    if (!read_name(s, &kind, &number))
        return scan_fail(s, "expected a router or a node and its neighbours: router 0 node 1 router 2");
    bough_status status = find_node(r, kind, number, &head);
    while (!status && !scan_done(s)) {
        if (!read_name(s, &other, &number)) return scan_fail(s, "expected router or node and a number");
        status = find_node(r, other, number, &body);
        TRY(read_channel(r, kind, head, other, body));
        scan_blanks(s);
        if (!status && s->at < s->stop && *s->at >= '0' && *s->at <= '9') {
            scan_number(s, &latency);
            r->latencies += latency != 1;
        }
    }
    return status;
}

static bough_status check_numbers(const reader *r, const char *what, int kind) {
    return r->count[kind] && r->most[kind] + 1 != r->count[kind]
               ? bough_fail(r->scan->error, BOUGH_INVALID, r->cables.parsed->name,
                            "%ss must be numbered from 0 without gaps, but %s %" PRIu64
                            " exists and there are only %" PRIu64 " of them",
                            what, what, r->most[kind], r->count[kind])
               : BOUGH_OK;
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.scan = scan, .pairs.memory = &parsed->memory, .cables = BOUGH_CABLES(parsed)};
    bough_status status = BOUGH_OK;
    while (!status && scan_line(scan)) status = read_line(&r);
    TRY(check_numbers(&r, "router", ROUTER));
    TRY(check_numbers(&r, "node", NODE));
    if (!status && r.latencies)
        bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_INFO, "latencies"},
                          "%" PRIu64 " channel%s %s latencies of their own, which are ignored", r.latencies,
                          bough_s(r.latencies), r.latencies == 1 ? "has" : "have");
    TRY(bough_cables_finish(&r.cables));
    return status;
}

const bough_fabric_reader bough_reader_anynet = {
    .format = "anynet", .recognise = recognise, .read = read_file};
