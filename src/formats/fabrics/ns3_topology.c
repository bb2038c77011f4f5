/* Topology files of ns-3 models of RDMA networks. Words are separated by blanks and line ends.
 *
 *   HPCC and its descendants          SimAI
 *   5 1 4                             12 4 1 3 14 A100
 *   4                                 8 9 10 11
 *   0 4 100Gbps 1us 0                 0 8 2400Gbps 0.000025ms 0
 *   ...                               ...
 *
 * First the numbers of nodes, switches and links, then the switches, then links with both ends, rate, delay
 * and error rate. PowerTCP and its heirs have the number of ToR switches before that of links, and may have
 * two capacities behind it; both are left out. SimAI has before its switches the GPUs of a server and the
 * number of NVSwitches, behind its links the kind of GPU, and lists NVSwitches before switches. What follows
 * the last link is ignored, as it is there.
 *
 * The GPUs that NVSwitches join are a server. Where all servers are alike, and each of their GPUs has one
 * cable to a switch, they are the compute nodes of the network: rate and delay of a GPU's NVLinks are those
 * of the file, and its cable is that of its own NIC. Other servers are left out. Without switches, the
 * NVSwitches are the network; without either, hosts are joined directly: a ring, a mesh. */
#include "base/memory/memory.h"
#include "base/memory/union_find.h"
#include "base/status/try.h"
#include "base/text/measures.h"
#include "base/text/spec.h"
#include "base/text/utf8.h"
#include "formats/fabrics/cable_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NODES_MAX = 1 << 20, LINKS_MAX = 1 << 24 };
typedef enum ns3_kind { NS3_HOST, NS3_SWITCH, NS3_NVSWITCH } ns3_kind;

/* A link between a GPU and an NVSwitch. */
typedef struct nvlink {
    uint32_t gpu, nvswitch;
    uint64_t rate, delay;
} nvlink;

typedef struct reader {
    scanner *scan;
    bough_cables list;
    uint64_t nodes, gpus, nvswitches, switches, links; /* gpus: of a server */
    uint8_t *kind;                                     /* [nodes]: ns3_kind */
    char gpu_kind[40];
    nvlink *inner;
    size_t inners;
    uint64_t joined;  /* links between NVSwitches, or of one and a switch */
    uint32_t *cables; /* [nodes]: cables between the node and switches */
    uint64_t errors;  /* links with an error rate */
} reader;

/* The numbers at the start of a line, and the word that follows them, if one does. */
static unsigned count_numbers(scanner *s, uint64_t number[8], bough_slice *word) {
    unsigned count = 0;
    *word = (bough_slice){0};
    if (s->at < s->stop && s->stop[-1] == '\r') s->stop--;
    scan_blanks(s);
    while (count < 8 && !scan_done(s) && *s->at >= '0' && *s->at <= '9' && scan_number(s, &number[count])) {
        count++;
        if (!scan_blanks(s)) break;
    }
    return scan_word(s, word) || scan_done(s) ? count : 0;
}

static bool recognise(const scanner *scan) {
    scanner s = *scan;
    uint64_t number[8];
    bough_slice word;
    unsigned count = count_numbers(&s, number, &word);
    return word.length ? count == 5 : count == 3 || count == 4 || count == 6;
}

static bough_status read_head(reader *r) {
    arena *m = &r->list.parsed->memory;
    uint64_t number[8];
    bough_slice word;
    unsigned count = count_numbers(r->scan, number, &word);
    bough_copy_printable(word.text, word.length, r->gpu_kind, sizeof r->gpu_kind);
    r->nodes = number[0];
    r->gpus = count == 5 ? number[1] : 0;
    r->nvswitches = count == 5 ? number[2] : 0;
    r->switches = number[count == 5 ? 3 : 1];
    r->links = number[count == 3 ? 2 : count == 5 ? 4 : 3];
    if (r->nodes == 0 || r->nodes > NODES_MAX || r->links > LINKS_MAX)
        return scan_fail(r->scan, "expected 1 to %d nodes and at most %d links", NODES_MAX, LINKS_MAX);
    if (r->switches > r->nodes || r->nvswitches > r->nodes - r->switches)
        return scan_fail(r->scan, "has more switches than nodes");
    bough_status status = arena_alloc(m, &r->kind, r->nodes, 1, r->scan->error);
    TRY(arena_alloc(m, &r->cables, r->nodes, sizeof *r->cables, r->scan->error));
    return status;
}

/* Whether nothing but blanks remains in the line. */
static bool line_ends(scanner *s) {
    scan_blanks(s);
    return scan_done(s) || *s->at == '\r';
}

/* The next word, in whatever line it is. */
static bough_status next_word(reader *r, const char *what, bough_slice *word) {
    while (line_ends(r->scan))
        if (!scan_line(r->scan)) return scan_fail(r->scan, "ends before %s", what);
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
    return scan_fail(r->scan, "'%s' is no %s; expected a number from 0 to %" PRIu64, SHOWN(word), what,
                     r->nodes - 1);
}

static bough_status read_switches(reader *r) {
    bough_status status = BOUGH_OK;
    uint64_t node = 0;
    for (uint64_t i = 0; i < r->nvswitches + r->switches && !status; i++) {
        status = read_node(r, "switch", &node);
        if (!status && r->kind[node]) status = scan_fail(r->scan, "switch %" PRIu64 " is listed twice", node);
        if (!status) r->kind[node] = i < r->nvswitches && r->switches ? NS3_NVSWITCH : NS3_SWITCH;
    }
    return status;
}

static bough_status add_node(reader *r, uint64_t number, uint32_t *node) {
    char name[40];
    const bool is_switch = r->kind[number] == NS3_SWITCH;
    int length = snprintf(name, sizeof name, "%s%" PRIu64, is_switch ? "switch" : "node", number);
    bough_status status =
        bough_cables_node(&r->list, (bough_slice){name, (size_t)length}, r->scan->line, node);
    if (status) return status;
    r->list.node[*node].kind = is_switch ? BOUGH_CABLE_SWITCH : BOUGH_CABLE_HOST;
    r->list.node[*node].order = number;
    return BOUGH_OK;
}

/* A digit other than 0, but not one of an exponent. */
static bool is_positive(bough_slice number) {
    for (size_t i = 0; i < number.length && number.text[i] != 'e' && number.text[i] != 'E'; i++)
        if (number.text[i] >= '1' && number.text[i] <= '9') return true;
    return false;
}

static bough_status add_nvlink(reader *r, const uint64_t end[2], uint64_t rate, uint64_t delay) {
    const bool first = r->kind[end[0]] == NS3_NVSWITCH;
    if (r->kind[end[first]] != NS3_HOST) return r->joined++, BOUGH_OK;
    bough_status status =
        arena_grow(&r->list.parsed->memory, &r->inner, r->inners + 1, sizeof *r->inner, r->scan->error);
    if (!status) r->inner[r->inners++] = (nvlink){(uint32_t)end[first], (uint32_t)end[!first], rate, delay};
    return status;
}

static bough_status read_link(reader *r) {
    uint64_t end[2], rate = 0;
    bough_slice word;
    bough_status status = read_node(r, "node", &end[0]);
    TRY(read_node(r, "node", &end[1]));
    bough_cable cable = {.line = r->scan->line};
    TRY(next_word(r, "the rate of a link", &word));
    if (!status && !measure_rate(word.text, word.length, true, &rate))
        return scan_fail(r->scan, "'%s' is not a rate; expected 100Gbps, 12.5GBps, or a number of bit/s",
                         SHOWN(word));
    TRY(next_word(r, "the delay of a link", &word));
    if (!status && !measure_time(word.text, word.length, &cable.delay))
        return scan_fail(r->scan, "'%s' is not a delay; expected a time with its unit, as in 1us",
                         SHOWN(word));
    cable.delayed = true;
    TRY(next_word(r, "the error rate of a link", &word));
    if (!status) r->errors += is_positive(word);
    if (status) return status;
    if (r->kind[end[0]] == NS3_NVSWITCH || r->kind[end[1]] == NS3_NVSWITCH)
        return add_nvlink(r, end, rate, cable.delay);
    cable.rate = rate;
    for (int i = 0; i < 2; i++) r->cables[end[i]] += r->kind[end[1 - i]] == NS3_SWITCH;
    status = add_node(r, end[0], &cable.end[0].node);
    TRY(add_node(r, end[1], &cable.end[1].node));
    TRY(bough_cables_add(&r->list, &cable));
    return status;
}

/* ---- servers ---- */

/* What the servers of a file have in common. */
typedef struct servers {
    uint32_t *parent;       /* [nodes]: of union_find; GPUs and NVSwitches of a server have one root */
    uint32_t *gpus;         /* [nodes]: GPUs of the server with this root */
    uint64_t *rate;         /* [nodes]: of the NVLinks of a GPU, together */
    uint32_t *number;       /* [nodes]: of the server with this root, from 1; 0: none */
    uint64_t count, each;   /* GPUs of a server */
    uint64_t nvlink, delay; /* of a GPU */
    const char *unlike;     /* why they cannot be compute nodes; NULL: they can */
} servers;

static void join_servers(const reader *r, servers *s) {
    for (uint64_t v = 0; v < r->nodes; v++) s->parent[v] = (uint32_t)v;
    s->delay = r->inner[0].delay;
    for (size_t i = 0; i < r->inners; i++) {
        const nvlink *l = &r->inner[i];
        union_join(s->parent, l->gpu, l->nvswitch);
        s->rate[l->gpu] = bough_add(s->rate[l->gpu], l->rate);
        if (l->delay != s->delay) s->unlike = "the delays of NVLinks differ";
    }
    s->nvlink = s->rate[r->inner[0].gpu];
    if (r->joined) s->unlike = "NVSwitches are joined to switches";
}

/* Numbers the servers by their first GPUs. */
static void count_servers(const reader *r, servers *s) {
    for (uint64_t v = 0; v < r->nodes; v++) {
        if (!s->rate[v]) continue;
        const uint32_t root = union_find(s->parent, (uint32_t)v);
        if (!s->number[root]) s->number[root] = (uint32_t)++s->count;
        s->gpus[root]++;
        if (s->rate[v] != s->nvlink) s->unlike = "the rates of GPUs differ";
        if (r->cables[v] != 1) s->unlike = "GPUs have no cable to a switch, or several";
    }
    s->each = s->gpus[union_find(s->parent, r->inner[0].gpu)];
    for (uint64_t v = 0; v < r->nodes; v++)
        if (s->gpus[v] && s->gpus[v] != s->each) s->unlike = "the numbers of their GPUs differ";
    for (uint64_t v = 0; v < r->nodes; v++)
        if (r->kind[v] == NS3_HOST && !s->rate[v]) s->unlike = "other nodes have no NVLink";
}

/* GPUs whose NVSwitch adds vectors: NVLink SHARP came with Hopper. */
static bool adds(const char *kind) {
    static const char *const with[] = {"H100", "H200", "H800",  "H20",  "B100",
                                       "B200", "B300", "GB200", "GB300"};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (strcmp(kind, with[i]) == 0) return true;
    return false;
}

static bough_status describe_servers(reader *r, servers *s) {
    bough_parsed_fabric *parsed = r->list.parsed;
    char rate[40], delay[40];
    if (s->each > BOUGH_SERVER_GPUS || s->nvlink > BOUGH_SERVER_RATE) {
        s->unlike = "a compute node has at most 1024 GPUs, and 60 Tb/s to the NVSwitch";
        return BOUGH_OK;
    }
    bough_format_measure(BOUGH_RATE, (int64_t)s->nvlink, rate, sizeof rate);
    bough_format_measure(BOUGH_TIME, (int64_t)s->delay, delay, sizeof delay);
    bough_status status = arena_printf(parsed->kept, &parsed->servers, r->scan->error,
                                       "server:gpus=%" PRIu64 ",nics=%" PRIu64 ",nvlink=%s,nvlink_delay=%s%s",
                                       s->each, s->each, rate, delay, adds(r->gpu_kind) ? ",nvls=1" : "");
    if (status) return status;
    for (size_t n = 0; n < parsed->node_count; n++)
        if (parsed->node[n].kind == BOUGH_FABRIC_ADAPTER)
            parsed->node[n].server = s->number[union_find(s->parent, (uint32_t)r->list.node[n].order)];
    bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_INFO, "servers"},
                      "%" PRIu64 " servers of %" PRIu64
                      " GPUs, %s each to the NVSwitch: sim and run take them as compute nodes",
                      s->count, s->each, rate);
    return BOUGH_OK;
}

static bough_status find_servers(reader *r) {
    servers s = {0};
    arena *m = &r->list.parsed->memory;
    if (r->inners == 0) return BOUGH_OK;
    bough_status status = arena_alloc(m, &s.parent, r->nodes, sizeof *s.parent, r->scan->error);
    TRY(arena_alloc(m, &s.gpus, r->nodes, sizeof *s.gpus, r->scan->error));
    TRY(arena_alloc(m, &s.rate, r->nodes, sizeof *s.rate, r->scan->error));
    TRY(arena_alloc(m, &s.number, r->nodes, sizeof *s.number, r->scan->error));
    if (!status) {
        join_servers(r, &s);
        count_servers(r, &s);
        if (!s.unlike) status = describe_servers(r, &s);
        if (s.unlike)
            bough_log_finding(&r->list.parsed->log, &(bough_finding_head){BOUGH_INFO, "nvswitches"},
                              "%" PRIu64 " NVSwitches with %" PRIu64
                              " links are left out, as %s; --physical node= "
                              "describes servers of %" PRIu64 " GPUs",
                              r->nvswitches, r->inners + r->joined, s.unlike, r->gpus);
    }
    return status;
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.scan = scan, .list = BOUGH_CABLES(parsed)};
    while (scan_line(scan) && !recognise(scan)) {
    }
    bough_status status = read_head(&r);
    TRY(read_switches(&r));
    for (uint64_t i = 0; i < r.links && !status; i++) status = read_link(&r);
    TRY(bough_cables_finish(&r.list));
    if (!status && r.errors)
        bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_INFO, "error-rates"},
                          "%" PRIu64 " links have error rates, which are ignored", r.errors);
    TRY(find_servers(&r));
    return status;
}

const bough_fabric_reader bough_reader_ns3 = {.format = "ns-3", .recognise = recognise, .read = read_file};
