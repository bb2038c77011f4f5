/* Attributes: prefix, radical ("0-3,7": the numbers in the names of hosts), suffix; bw and lat of every link;
 * topology and topo_parameters:
 *
 *   FLAT      one switch; a backbone (bb_bw) is left out
 *   FAT_TREE  "levels; children at each; parents at each; parallel links at each": the tree that bough calls
 *             xgft:down=,up=,links=
 *   TORUS     "X,Y,.."; the first dimension is fastest */
#include "formats/fabrics/simgrid/simgrid_cluster.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/measures.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 160, HOSTS_MAX = 1 << 20, LEVELS_MAX = 16, LISTS_MAX = 4 };

bool simgrid_rate(const char *text, uint64_t *rate) {
    char *stop;
    const double bytes = strtod(text, &stop);
    if (stop == text || *stop) return measure_rate(text, strlen(text), false, rate);
    if (!(bytes > 0 && bytes < 1e15)) return false;
    *rate = (uint64_t)llround(8 * bytes);
    return *rate > 0;
}

bool simgrid_time(const char *text, uint64_t *ps) {
    char *stop;
    const double seconds = strtod(text, &stop);
    if (stop == text || *stop) return measure_time(text, strlen(text), ps);
    if (!(seconds >= 0 && seconds <= 1)) return false;
    *ps = (uint64_t)llround(1e12 * seconds);
    return true;
}

typedef struct cluster {
    xml_file *x;
    bough_cables *cables;
    char id[TEXT];
    uint64_t rate, delay;
    uint32_t *host; /* [hosts]: their nodes */
    size_t hosts;
    uint32_t list[LISTS_MAX][LEVELS_MAX]; /* topo_parameters */
    unsigned count[LISTS_MAX], lists;
} cluster;

static bough_status add_node(cluster *k, const char *name, bool host, uint32_t *node) {
    const size_t before = k->cables->parsed->node_count;
    bough_status status =
        bough_cables_node(k->cables, (bough_slice){name, strlen(name)}, xml_line(k->x), node);
    if (status) return status;
    if (host && k->cables->parsed->node_count == before)
        return xml_fail(k->x, "cluster %.60s: a second node '%.60s'", k->id, name);
    k->cables->node[*node].kind = host ? BOUGH_CABLE_HOST : BOUGH_CABLE_SWITCH;
    return BOUGH_OK;
}

static bough_status add_cable(cluster *k, uint32_t a, uint32_t b) {
    const bough_cable cable = {.end = {{.node = a}, {.node = b}},
                               .rate = k->rate,
                               .delay = k->delay,
                               .delayed = true,
                               .line = xml_line(k->x)};
    return bough_cables_add(k->cables, &cable);
}

/* ---- hosts ---- */

enum { NAME = 4 * TEXT };

/* What stands between the prefix and the suffix of the cluster. */
static void put_name(const cluster *k, const char *middle, char name[NAME]) {
    char prefix[TEXT], suffix[TEXT];
    xml_copy(k->x, "prefix", prefix, sizeof prefix);
    xml_copy(k->x, "suffix", suffix, sizeof suffix);
    snprintf(name, NAME, "%s%s%s", prefix, middle, suffix);
}

static bough_status add_host(cluster *k, uint64_t number) {
    char digits[24], name[NAME];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    put_name(k, digits, name);
    if (k->hosts == HOSTS_MAX) return xml_fail(k->x, "cluster %.60s has more than 2^20 hosts", k->id);
    bough_status status =
        arena_grow(&k->cables->parsed->memory, &k->host, k->hosts + 1, sizeof *k->host, k->x->error);
    TRY(add_node(k, name, true, &k->host[k->hosts]));
    if (!status) k->hosts++;
    return status;
}

/* "0-3,7" */
static bough_status add_hosts(cluster *k) {
    char *radical = xml_attribute(k->x, "radical"), *at = radical;
    bough_status status = radical ? BOUGH_OK : xml_fail(k->x, "cluster %.60s has no radical", k->id);
    while (at && !status) {
        char *stop;
        const uint64_t first = strtoull(at, &stop, 10);
        uint64_t last = first;
        bool good = *at >= '0' && *at <= '9';
        if (good && *stop == '-') {
            at = stop + 1;
            last = strtoull(at, &stop, 10);
            good = *at >= '0' && *at <= '9' && last >= first;
        }
        if (!good || (*stop && *stop != ',') || last - first >= HOSTS_MAX || last > UINT32_MAX)
            status = xml_fail(k->x, "cluster %.60s: radical=\"%.60s\"; expected numbers and ranges, as 0-3,7",
                              k->id, radical);
        for (uint64_t i = first; i <= last && !status; i++) status = add_host(k, i);
        at = *stop ? stop + 1 : NULL;
    }
    free(radical);
    return status;
}

/* ---- topologies ---- */

static bough_status read_parameters(cluster *k, const char *expected) {
    char text[2 * TEXT];
    xml_copy(k->x, "topo_parameters", text, sizeof text);
    k->lists = 1;
    for (char *at = text, *stop;; at = stop + 1) {
        const unsigned long long value = strtoull(at, &stop, 10);
        unsigned *count = &k->count[k->lists - 1];
        const bool good = *at >= '0' && *at <= '9' && value > 0 && value <= UINT16_MAX && *count < LEVELS_MAX;
        if (good) k->list[k->lists - 1][(*count)++] = (uint32_t)value;
        if (good && !*stop) return BOUGH_OK;
        if (good && *stop == ';' && k->lists < LISTS_MAX)
            k->lists++;
        else if (!good || *stop != ',')
            return xml_fail(k->x, "cluster %.60s: topo_parameters=\"%.80s\"; expected %s", k->id, text,
                            expected);
    }
}

static uint64_t product(const uint32_t *list, unsigned count) {
    uint64_t all = 1;
    for (unsigned i = 0; i < count; i++) all = bough_mul(all, list[i]);
    return all;
}

static bough_status check_hosts(const cluster *k, const uint32_t *list, unsigned count) {
    const uint64_t places = product(list, count);
    if (places == k->hosts) return BOUGH_OK;
    return xml_fail(k->x, "cluster %.60s has %zu host%s, but topo_parameters has places for %" PRIu64, k->id,
                    k->hosts, bough_s(k->hosts), places);
}

static bough_status join_flat(cluster *k) {
    char own[TEXT + 8], name[NAME], backbone[TEXT];
    uint32_t router;
    snprintf(own, sizeof own, "%s_router", k->id);
    if (!xml_copy(k->x, "router_id", name, TEXT)) put_name(k, own, name);
    bough_status status = add_node(k, name, false, &router);
    for (size_t i = 0; i < k->hosts && !status; i++) status = add_cable(k, k->host[i], router);
    if (!status && xml_copy(k->x, "bb_bw", backbone, sizeof backbone))
        bough_log_finding(&k->cables->parsed->log, &(bough_finding_head){BOUGH_INFO, "backbone"},
                          "the backbone of cluster %.60s (%.40s) is left out: its switch has no limit", k->id,
                          backbone);
    return status;
}

/* Nodes of a level are numbered a * parents + b: a is the subtree that they belong to, b which of its
 * `parents` nodes they are. */
typedef struct tree_level {
    uint32_t *node;
    uint64_t subtrees, parents;
} tree_level;

static bough_status make_level(cluster *k, unsigned level, const tree_level *below, tree_level *made) {
    made->subtrees = below->subtrees / k->list[1][level - 1];
    made->parents = bough_mul(below->parents, k->list[2][level - 1]);
    const uint64_t count = bough_mul(made->subtrees, made->parents);
    if (count > HOSTS_MAX)
        return xml_fail(k->x, "cluster %.60s has more than 2^20 switches at a level", k->id);
    bough_status status =
        arena_alloc(&k->cables->parsed->memory, &made->node, count, sizeof *made->node, k->x->error);
    for (uint64_t i = 0; i < count && !status; i++) {
        char name[TEXT + 48];
        snprintf(name, sizeof name, "%s.s%u.%" PRIu64, k->id, level, i);
        status = add_node(k, name, false, &made->node[i]);
    }
    return status;
}

static bough_status join_levels(cluster *k, unsigned level, const tree_level *below,
                                const tree_level *above) {
    const uint64_t down = k->list[1][level - 1], up = k->list[2][level - 1], links = k->list[3][level - 1];
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < below->subtrees * below->parents; i++)
        for (uint64_t j = 0; j < up * links && !status; j++) {
            const uint64_t a = i / below->parents / down, b = i % below->parents + j / links * below->parents;
            status = add_cable(k, below->node[i], above->node[a * above->parents + b]);
        }
    return status;
}

static bough_status join_tree(cluster *k) {
    static const char expected[] = "levels;children,..;parents,..;links,..";
    bough_status status = read_parameters(k, expected);
    const unsigned levels = k->count[0] == 1 ? k->list[0][0] : 0;
    bool good = levels > 0 && k->lists == 4;
    for (unsigned i = 1; i < 4; i++) good &= k->count[i] == levels;
    if (!status && !good)
        status = xml_fail(k->x, "cluster %.60s: expected topo_parameters %s", k->id, expected);
    if (!status) status = check_hosts(k, k->list[1], levels);
    tree_level below = {k->host, k->hosts, 1}, above;
    for (unsigned level = 1; level <= levels && !status; level++) {
        status = make_level(k, level, &below, &above);
        TRY(join_levels(k, level, &below, &above));
        below = above;
    }
    return status;
}

static bough_status join_torus(cluster *k) {
    bough_status status = read_parameters(k, "the sizes of dimensions, as 4,4,2");
    if (!status && k->lists != 1)
        status = xml_fail(k->x, "cluster %.60s: expected one list of dimensions", k->id);
    if (!status) status = check_hosts(k, k->list[0], k->count[0]);
    uint64_t stride = 1;
    for (unsigned d = 0; d < k->count[0] && !status; stride *= k->list[0][d++]) {
        const uint64_t size = k->list[0][d];
        for (uint64_t i = 0; i < k->hosts && size > 1 && !status; i++) {
            const uint64_t at = i / stride % size, to = at + 1 < size ? i + stride : i - at * stride;
            status = add_cable(k, k->host[i], k->host[to]);
        }
    }
    return status;
}

static bough_status read_link(cluster *k) {
    char text[TEXT];
    xml_copy(k->x, "bw", text, sizeof text);
    if (!simgrid_rate(text, &k->rate))
        return xml_fail(k->x,
                        "cluster %.60s: bw=\"%.40s\" is no rate; expected 125MBps, 1Gbps, or bytes a second",
                        k->id, text);
    xml_copy(k->x, "lat", text, sizeof text);
    if (simgrid_time(text, &k->delay)) return BOUGH_OK;
    return xml_fail(k->x, "cluster %.60s: lat=\"%.40s\" is no time; expected one with its unit, as 50us",
                    k->id, text);
}

bough_status simgrid_read_cluster(xml_file *x, bough_cables *cables) {
    static const struct {
        const char *name;
        bough_status (*join)(cluster *k);
    } topologies[] = {{"FLAT", join_flat}, {"FAT_TREE", join_tree}, {"TORUS", join_torus}};
    cluster k = {.x = x, .cables = cables};
    char topology[TEXT];
    xml_copy(x, "id", k.id, sizeof k.id);
    if (!xml_copy(x, "topology", topology, sizeof topology)) snprintf(topology, sizeof topology, "FLAT");
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        if (strcmp(topology, topologies[i].name) != 0) continue;
        bough_status status = read_link(&k);
        TRY(add_hosts(&k));
        TRY(topologies[i].join(&k));
        return status;
    }
    return xml_fail(x, "cluster %.60s: topology %.40s is not supported; expected FLAT, FAT_TREE or TORUS",
                    k.id, topology);
}

bough_status simgrid_read_cabinet(xml_file *x, bough_cables *cables, simgrid_cabinet *cabinet) {
    cluster k = {.x = x, .cables = cables};
    xml_copy(x, "id", k.id, sizeof k.id);
    bough_status status = read_link(&k);
    TRY(add_hosts(&k));
    *cabinet = (simgrid_cabinet){k.host, k.hosts, k.rate, k.delay};
    return status;
}
