/* htsim .topo files: the parameters of a fat-tree of two or three tiers.
 *
 *   Nodes 16        Tier 0                     Tier 1
 *   Tiers 2         Downlink_speed_Gbps 100    Downlink_speed_Gbps 100
 *   Podsize 16      Radix_Down 4               Radix_Down 4
 *                   Radix_Up 4                 Downlink_Latency_ns 1000
 *                   Downlink_Latency_ns 1000
 *
 * Tier 0 are the leaf switches; its downlinks are the cables of hosts. Bundle: parallel cables to each switch
 * of the tier below. Oversubscribed: bandwidth below over bandwidth above. Inputs that htsim refuses are
 * refused. Queues and latencies are ignored. */
#include "base/status/try.h"
#include "formats/fabrics/cable_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef enum head_key { NODES, TIERS, PODSIZE, HEAD_KEYS } head_key;
typedef enum tier_key { SPEED, DOWN, UP, LATENCY, OVER, BUNDLE, TIER_KEYS } tier_key;

static const char *const head_names[] = {"nodes", "tiers", "podsize"};
static const char *const tier_names[] = {"downlink_speed_gbps", "radix_down",     "radix_up",
                                         "downlink_latency_ns", "oversubscribed", "bundle"};
static const char *const ignored[] = {"queue_up", "queue_down", "switch_latency_ns"};

enum { TIERS_MAX = 3, VALUE_MAX = 1 << 20 };

typedef struct reader {
    scanner *scan;
    bough_cables cables;
    uint64_t head[HEAD_KEYS], tier[TIERS_MAX][TIER_KEYS]; /* 0: not given */
    bool known[TIERS_MAX];
    int at; /* current tier; -1: none */
    uint64_t tors, aggs, cores, pods, tors_pod, aggs_pod;
} reader;

static bool is_word(bough_slice word, const char *name) {
    return strlen(name) == word.length && strncasecmp(word.text, name, word.length) == 0;
}

/* "Word number" */
static bool read_pair(scanner *s, bough_slice *word, uint64_t *value) {
    if (s->at < s->stop && s->stop[-1] == '\r') s->stop--;
    scan_blanks(s);
    return scan_word(s, word) && scan_blanks(s) && scan_number(s, value) && scan_done(s);
}

/* Connection matrices also start with Nodes, but continue differently. */
static bool recognise(const scanner *scan) {
    scanner s = *scan;
    bough_slice word;
    uint64_t value;
    do {
        if (scan_done(&s) || *s.at == '#' || *s.at == '\r') continue;
        if (!read_pair(&s, &word, &value)) return false;
        if (is_word(word, head_names[TIERS]) || is_word(word, head_names[PODSIZE])) return true;
        if (!is_word(word, head_names[NODES])) return false;
    } while (scan_line(&s));
    return false;
}

static bough_status set(reader *r, uint64_t *slot, uint64_t value, const char *name) {
    if (*slot) return scan_fail(r->scan, "%s is given twice", name);
    if (value == 0 || value > VALUE_MAX)
        return scan_fail(r->scan, "%s %" PRIu64 " is out of range; expected 1 to %d", name, value, VALUE_MAX);
    *slot = value;
    return BOUGH_OK;
}

static bough_status read_line(reader *r) {
    scanner *s = r->scan;
    bough_slice word;
    uint64_t value;
    scanner line = *s;
    if (line.at < line.stop && line.stop[-1] == '\r') line.stop--;
    if (scan_done(&line) || *line.at == '#') return BOUGH_OK;
    if (!read_pair(s, &word, &value))
        return scan_fail(s, "expected a word and a whole number, as Radix_Down 8");
    if (is_word(word, "tier")) {
        if (value >= TIERS_MAX)
            return scan_fail(s, "tier %" PRIu64 " does not exist; the range is 0 to 2", value);
        if (r->known[value]) return scan_fail(s, "tier %" PRIu64 " is described twice", value);
        r->at = (int)value;
        return r->known[value] = true, BOUGH_OK;
    }
    if (r->at < 0)
        for (int k = 0; k < HEAD_KEYS; k++)
            if (is_word(word, head_names[k])) return set(r, &r->head[k], value, head_names[k]);
    for (int k = 0; k < TIER_KEYS && r->at >= 0; k++)
        if (is_word(word, tier_names[k])) return set(r, &r->tier[r->at][k], value, tier_names[k]);
    for (size_t k = 0; k < sizeof ignored / sizeof *ignored; k++)
        if (is_word(word, ignored[k])) return BOUGH_OK;
    return scan_fail(s,
                     r->at < 0 ? "unknown key '%s'; expected Nodes, Tiers or Podsize before the tiers"
                               : "unknown key '%s' in a tier",
                     SHOWN(word));
}

static bough_status fail(const reader *r, const char *what) {
    return bough_fail(r->scan->error, BOUGH_INVALID, r->cables.parsed->name, "%s", what);
}

static bough_status check_given(reader *r) {
    char what[96];
    for (int k = 0; k < HEAD_KEYS; k++)
        if (!r->head[k]) return snprintf(what, sizeof what, "%s is missing", head_names[k]), fail(r, what);
    uint64_t tiers = r->head[TIERS];
    if (tiers != 2 && tiers != 3) return fail(r, "must have 2 or 3 tiers");
    for (uint64_t t = 0; t < tiers; t++) {
        for (int k = SPEED; k <= LATENCY; k++)
            if (!r->tier[t][k] && !(k == UP && t == tiers - 1)) {
                snprintf(what, sizeof what, "tier %" PRIu64 ": %s is missing", t, tier_names[k]);
                return fail(r, what);
            }
        for (int k = OVER; k <= BUNDLE; k++)
            if (!r->tier[t][k]) r->tier[t][k] = 1;
    }
    return BOUGH_OK;
}

/* Returns whether the cables from below match the ports of the switches above. */
static bool adds_up(const reader *r, int t, uint64_t below, uint64_t above) {
    const uint64_t *low = r->tier[t], *high = r->tier[t + 1];
    return low[DOWN] * low[SPEED] == low[UP] * high[SPEED] * low[OVER] &&
           below * low[UP] == above * high[DOWN] && low[UP] % high[BUNDLE] == 0 &&
           high[DOWN] % high[BUNDLE] == 0;
}

static bough_status count_switches(reader *r) {
    const uint64_t nodes = r->head[NODES], pod = r->head[PODSIZE],
                   (*t)[TIER_KEYS] = (const uint64_t(*)[TIER_KEYS])r->tier;
    if (nodes > BOUGH_LID_MAX) return fail(r, "has more nodes than the 49151 addresses of a fabric");
    if (nodes % pod || pod % t[0][DOWN])
        return fail(r, "Nodes must be a multiple of Podsize, and Podsize of Radix_Down of tier 0");
    if (t[0][BUNDLE] != 1) return fail(r, "tier 0 has a bundle, but hosts have one cable");
    r->pods = nodes / pod;
    r->tors_pod = pod / t[0][DOWN];
    r->tors = r->tors_pod * r->pods;
    r->aggs_pod = t[0][UP] / t[1][BUNDLE];
    r->aggs = r->aggs_pod * r->pods;
    if (!adds_up(r, 0, r->tors, r->aggs) || r->tors_pod * t[1][BUNDLE] != t[1][DOWN])
        return fail(
            r, "inconsistent cables between tier 0 and tier 1: radices, speeds, bundle and oversubscription");
    if (r->head[TIERS] == 2)
        return r->pods == 1 ? BOUGH_OK : fail(r, "has two tiers and several pods; Podsize must equal Nodes");
    r->cores = r->aggs_pod * (t[1][UP] / t[2][BUNDLE]);
    if (!adds_up(r, 1, r->aggs, r->cores) || r->pods * t[2][BUNDLE] != t[2][DOWN])
        return fail(
            r, "inconsistent cables between tier 1 and tier 2: radices, speeds, bundle and oversubscription");
    return BOUGH_OK;
}

static bough_status find_node(reader *r, const char *kind, uint64_t number, uint32_t *node) {
    char name[32];
    int length = snprintf(name, sizeof name, "%s%" PRIu64, kind, number);
    bough_status status = bough_cables_node(&r->cables, (bough_slice){name, (size_t)length}, 0, node);
    if (!status) r->cables.node[*node].kind = *kind == 'h' ? BOUGH_CABLE_HOST : BOUGH_CABLE_SWITCH;
    return status;
}

/* The cables from a switch of a tier down to a node of the tier below. */
static bough_status add_cables(reader *r, int tier, uint64_t below, uint64_t above) {
    static const char *const kind[] = {"h", "tor", "agg", "core"};
    bough_cable cable = {.rate = r->tier[tier][SPEED] * UINT64_C(1000000000),
                         .delay = r->tier[tier][LATENCY] * 1000,
                         .delayed = true};
    bough_status status = find_node(r, kind[tier], below, &cable.end[0].node);
    TRY(find_node(r, kind[tier + 1], above, &cable.end[1].node));
    for (uint64_t k = 0; k < r->tier[tier][BUNDLE] && !status; k++)
        status = bough_cables_add(&r->cables, &cable);
    return status;
}

/* Wiring of htsim: core switch c has a cable to the aggregation switches with position c mod their number in
 * a pod. */
static bough_status wire(reader *r) {
    bough_status status = BOUGH_OK;
    for (uint64_t h = 0; h < r->head[NODES] && !status; h++)
        status = add_cables(r, 0, h, h / r->tier[0][DOWN]);
    for (uint64_t t = 0; t < r->tors && !status; t++)
        for (uint64_t a = 0; a < r->aggs_pod && !status; a++)
            status = add_cables(r, 1, t, t / r->tors_pod * r->aggs_pod + a);
    for (uint64_t a = 0; a < r->aggs && r->cores && !status; a++)
        for (uint64_t l = 0; l < r->tier[1][UP] / r->tier[2][BUNDLE] && !status; l++)
            status = add_cables(r, 2, a, a % r->aggs_pod + r->aggs_pod * l);
    return status;
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.scan = scan, .cables = BOUGH_CABLES(parsed), .at = -1};
    bough_status status = BOUGH_OK;
    while (!status && scan_line(scan)) status = read_line(&r);
    TRY(check_given(&r));
    TRY(count_switches(&r));
    TRY(wire(&r));
    TRY(bough_cables_finish(&r.cables));
    return status;
}

const bough_fabric_reader bough_reader_topo = {.format = "topo", .recognise = recognise, .read = read_file};
