/* Topology files of ns-3 models of RDMA networks. Words are separated by blanks and line ends.
 *
 *   HPCC and its descendants          SimAI
 *   5 1 4                             12 4 1 3 14 A100
 *   4                                 8 9 10 11
 *   0 4 100Gbps 1us 0                 0 8 2400Gbps 0.000025ms 0
 *   ...                               ...
 *
 * First the numbers of nodes, switches and links, then the switches, then links with both ends, rate, delay
 * and error rate. SimAI has before its switches the GPUs of a server and the number of NVSwitches, behind its
 * links the kind of GPU, and lists NVSwitches before switches. What follows the last link is ignored, as it
 * is there. NVSwitches are left out: they are the network within a server. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/measures.h"
#include "base/text/utf8.h"
#include "network/files/cable_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 1 << 20, LINKS_MAX = 1 << 24 };
typedef enum ns3_kind { NS3_HOST, NS3_SWITCH, NS3_NVSWITCH } ns3_kind;

typedef struct reader {
    bough_scan *scan;
    bough_cables cables;
    uint64_t nodes, gpus, nvswitches, switches, links; /* gpus: of a server */
    uint8_t *kind;                                     /* [nodes]: ns3_kind */
    uint64_t inner, errors;                            /* links of NVSwitches; links with an error rate */
    bough_error *error;
} reader;

/* The numbers at the start of a line, and whether a word follows them. */
static unsigned count_numbers(bough_scan *s, uint64_t number[8], bool *word) {
    unsigned count = 0;
    bough_slice rest;
    if (s->at < s->stop && s->stop[-1] == '\r') s->stop--;
    bough_scan_blanks(s);
    while (count < 8 && !bough_scan_done(s) && *s->at >= '0' && *s->at <= '9' &&
           bough_scan_number(s, &number[count])) {
        count++;
        if (!bough_scan_blanks(s)) break;
    }
    *word = bough_scan_word(s, &rest);
    return bough_scan_done(s) || *word ? count : 0;
}

static bool recognise(const bough_scan *scan) {
    bough_scan s = *scan;
    uint64_t number[8];
    bool word;
    unsigned count = count_numbers(&s, number, &word);
    return (count == 3 && !word) || (count == 5 && word);
}

static bough_status read_head(reader *r) {
    uint64_t number[8];
    bool word;
    unsigned count = count_numbers(r->scan, number, &word);
    r->nodes = number[0];
    r->gpus = count == 5 ? number[1] : 0;
    r->nvswitches = count == 5 ? number[2] : 0;
    r->switches = number[count - 2];
    r->links = number[count - 1];
    if (r->nodes == 0 || r->nodes > NODES_MAX || r->links > LINKS_MAX)
        return bough_scan_fail(r->scan, r->error, "expected 1 to %d nodes and at most %d links", NODES_MAX,
                               LINKS_MAX);
    if (r->switches > r->nodes || r->nvswitches > r->nodes - r->switches)
        return bough_scan_fail(r->scan, r->error, "has more switches than nodes");
    return bough_alloc(&r->kind, r->nodes, 1, r->error);
}

/* Whether nothing but blanks remains in the line. */
static bool line_ends(bough_scan *s) {
    bough_scan_blanks(s);
    return bough_scan_done(s) || *s->at == '\r';
}

/* The next word, in whatever line it is. */
static bough_status next_word(reader *r, const char *what, bough_slice *word) {
    while (line_ends(r->scan))
        if (!bough_scan_line(r->scan)) return bough_scan_fail(r->scan, r->error, "ends before %s", what);
    const char *at = r->scan->at;
    while (at < r->scan->stop && *at != ' ' && *at != '\t' && *at != '\r') at++;
    *word = (bough_slice){r->scan->at, (size_t)(at - r->scan->at)};
    r->scan->at = at;
    return BOUGH_OK;
}

static bough_status read_node(reader *r, const char *what, uint64_t *node) {
    bough_slice word;
    bough_status status = next_word(r, what, &word);
    if (status) return status;
    *node = 0;
    for (size_t i = 0; i < word.length && *node < NODES_MAX; i++) {
        if (word.text[i] < '0' || word.text[i] > '9') *node = NODES_MAX;
        *node = 10 * *node + (uint64_t)(word.text[i] - '0');
    }
    if (*node < r->nodes) return BOUGH_OK;
    char text[40];
    bough_copy_printable(word.text, word.length, text, sizeof text);
    return bough_scan_fail(r->scan, r->error, "'%s' is no %s; expected a number from 0 to %" PRIu64, text,
                           what, r->nodes - 1);
}

static bough_status read_switches(reader *r) {
    bough_status status = BOUGH_OK;
    uint64_t node = 0;
    for (uint64_t i = 0; i < r->nvswitches + r->switches && !status; i++) {
        status = read_node(r, "switch", &node);
        if (!status && r->kind[node])
            status = bough_scan_fail(r->scan, r->error, "switch %" PRIu64 " is listed twice", node);
        if (!status) r->kind[node] = i < r->nvswitches ? NS3_NVSWITCH : NS3_SWITCH;
    }
    return status;
}

static bough_status add_node(reader *r, uint64_t number, uint32_t *node) {
    char name[40];
    const bool is_switch = r->kind[number] == NS3_SWITCH;
    int length = snprintf(name, sizeof name, "%s%" PRIu64, is_switch ? "switch" : "node", number);
    bough_status status =
        bough_cables_node(&r->cables, (bough_slice){name, (size_t)length}, r->scan->line, node, r->error);
    if (status) return status;
    r->cables.node[*node].kind = is_switch ? BOUGH_CABLE_SWITCH : BOUGH_CABLE_HOST;
    r->cables.node[*node].order = number;
    return BOUGH_OK;
}

/* A digit other than 0, but not one of an exponent. */
static bool is_positive(bough_slice number) {
    for (size_t i = 0; i < number.length && number.text[i] != 'e' && number.text[i] != 'E'; i++)
        if (number.text[i] >= '1' && number.text[i] <= '9') return true;
    return false;
}

static bough_status read_link(reader *r) {
    uint64_t end[2], rate = 0;
    bough_slice word;
    bough_status status = read_node(r, "node", &end[0]);
    TRY(read_node(r, "node", &end[1]));
    bough_cable cable = {.line = r->scan->line};
    TRY(next_word(r, "the rate of a link", &word));
    if (!status && !measure_rate(word.text, word.length, true, &rate)) {
        char text[40];
        bough_copy_printable(word.text, word.length, text, sizeof text);
        return bough_scan_fail(r->scan, r->error,
                               "'%s' is not a rate; expected 100Gbps, 12.5GBps, or a number of bit/s", text);
    }
    TRY(next_word(r, "the delay of a link", &word));
    if (!status && !measure_time(word.text, word.length, &cable.delay)) {
        char text[40];
        bough_copy_printable(word.text, word.length, text, sizeof text);
        return bough_scan_fail(r->scan, r->error,
                               "'%s' is not a delay; expected a time with its unit, as in 1us", text);
    }
    cable.delayed = true;
    TRY(next_word(r, "the error rate of a link", &word));
    if (!status) r->errors += is_positive(word);
    if (status) return status;
    if (r->kind[end[0]] == NS3_NVSWITCH || r->kind[end[1]] == NS3_NVSWITCH) return r->inner++, BOUGH_OK;
    cable.rate = rate;
    status = add_node(r, end[0], &cable.end[0].node);
    TRY(add_node(r, end[1], &cable.end[1].node));
    TRY(bough_cables_add(&r->cables, &cable, r->error));
    return status;
}

static bough_status read_file(bough_scan *scan, bough_parsed_fabric *parsed, bough_error *error) {
    reader r = {.scan = scan, .cables = {.parsed = parsed}, .error = error};
    while (bough_scan_line(scan) && !recognise(scan)) {
    }
    bough_status status = read_head(&r);
    TRY(read_switches(&r));
    for (uint64_t i = 0; i < r.links && !status; i++) status = read_link(&r);
    TRY(bough_cables_finish(&r.cables, error));
    if (!status && r.errors)
        bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_INFO, "error-rates"},
                          "%" PRIu64 " links have error rates, which are ignored", r.errors);
    if (!status && r.inner)
        bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_INFO, "nvswitches"},
                          "%" PRIu64 " NVSwitches with %" PRIu64
                          " links are left out; --physical node= describes servers of %" PRIu64 " GPUs",
                          r.nvswitches, r.inner, r.gpus);
    free(r.kind);
    bough_cables_fini(&r.cables);
    return status;
}

const bough_fabric_reader bough_reader_ns3 = {.format = "ns-3", .recognise = recognise, .read = read_file};
