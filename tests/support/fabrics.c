#include "support/fabrics.h"

#include "base/text/text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

/* ---- text ---- */

typedef struct made_node {
    char name[16];
    unsigned lid, lmc;
} made_node;

typedef struct made_cable {
    char end[2][16], rate[16];
    unsigned port[2];
} made_cable;

typedef struct made {
    made_node node[64];
    made_cable cable[256];
    size_t nodes, cables;
} made;

static size_t node_of(const made *m, const char *name) {
    for (size_t i = 0; i < m->nodes; i++)
        if (strcmp(m->node[i].name, name) == 0) return i;
    fail_msg("the fabric of the test names no node '%s'", name);
    return 0;
}

static void understand(const char *const *lines, made *m) {
    memset(m, 0, sizeof *m);
    for (; *lines; lines++) {
        made_cable c = {.rate = "4xQDR"};
        made_node n = {0};
        if (sscanf(*lines, "%15[^: ]:%u %15[^: ]:%u %15s", c.end[0], &c.port[0], c.end[1], &c.port[1],
                   c.rate) >= 4)
            m->cable[m->cables++] = c;
        else if (sscanf(*lines, "%15[^: ] lid %u lmc %u", n.name, &n.lid, &n.lmc) >= 2)
            m->node[m->nodes++] = n;
        else
            fail_msg("'%s' is neither node nor cable", *lines);
        assert_true(m->nodes < 64 && m->cables < 256);
    }
}

static uint64_t guid_of(size_t node) {
    return 256 * ((uint64_t)node + 1);
}

static unsigned lid_of(const made_node *n, unsigned port) {
    return n->lid ? n->lid + ((port - 1) << n->lmc) : 0;
}

static const char *prefix(const char *name) {
    return *name == 'S' ? "S" : *name == 'R' ? "R" : "H";
}

static void describe(const made *m, size_t i, char *text, size_t size) {
    snprintf(text, size, "%s%s", m->node[i].name, *m->node[i].name == 'A' ? " Aggregation Node" : "");
}

static void put_port(bough_text *t, const made *m, const made_cable *c, int end) {
    size_t own = node_of(m, c->end[end]), peer = node_of(m, c->end[!end]);
    const made_node *n = &m->node[own], *p = &m->node[peer];
    unsigned port = c->port[end], other = c->port[!end];
    char text[64];
    describe(m, peer, text, sizeof text);
    bough_text_printf(t, "[%u]", port);
    if (*n->name != 'S') bough_text_printf(t, "(%" PRIx64 ") ", guid_of(own) + port);
    bough_text_printf(t, "\t\"%s-%016" PRIx64 "\"[%u]", prefix(p->name), guid_of(peer), other);
    if (*p->name != 'S') bough_text_printf(t, "(%" PRIx64 ") ", guid_of(peer) + other);
    if (*n->name == 'S')
        bough_text_printf(t, "\t\t# \"%s\" lid %u %s\n", text, *p->name == 'S' ? p->lid : lid_of(p, other),
                          c->rate);
    else
        bough_text_printf(t, "\t\t# lid %u lmc %u \"%s\" lid %u %s\n", lid_of(n, port), n->lmc, text, p->lid,
                          c->rate);
}

char *fabric_text(const char *const *lines) {
    made m;
    bough_text t = {0};
    understand(lines, &m);
    for (size_t i = 0; i < m.nodes; i++) {
        const made_node *n = &m.node[i];
        char text[64];
        describe(&m, i, text, sizeof text);
        bough_text_printf(&t, "\n%s\t36 \"%s-%016" PRIx64 "\"\t\t# \"%s\"",
                          *n->name == 'S'   ? "Switch"
                          : *n->name == 'R' ? "Rt"
                                            : "Ca",
                          prefix(n->name), guid_of(i), text);
        if (*n->name == 'S') bough_text_printf(&t, " base port 0 lid %u lmc 0", n->lid);
        bough_text_put(&t, "\n");
        for (unsigned port = 1; port <= 36; port++)
            for (size_t c = 0; c < m.cables; c++)
                for (int end = 0; end < 2; end++)
                    if (m.cable[c].port[end] == port && strcmp(m.cable[c].end[end], n->name) == 0)
                        put_port(&t, &m, &m.cable[c], end);
    }
    return bough_text_take(&t);
}

char *tables_text(const char *const *fabric, const char *const *lines) {
    made m;
    bough_text t = {0};
    understand(fabric, &m);
    for (; *lines; lines++) {
        char name[16];
        unsigned lid, port, count = 0;
        int used = 0, step = 0;
        assert_true(sscanf(*lines, "%15s%n", name, &used) == 1);
        size_t node = node_of(&m, name);
        bough_text_printf(&t, "Unicast lids [0-100] of switch Lid %u guid 0x%016" PRIx64 " ('%s'):\n",
                          m.node[node].lid, guid_of(node), name);
        for (const char *at = *lines + used; sscanf(at, " %u>%u%n", &lid, &port, &step) == 2;
             at += step, count++)
            bough_text_printf(&t, "0x%04x %03u # \n", lid, port);
        bough_text_printf(&t, "%u lids dumped\n", count);
    }
    return bough_text_take(&t);
}

/* ---- networks ---- */

bough_net *fabric_net(const char *const *lines, const bough_fabric_options *options) {
    bough_fabric fabric;
    bough_net *net = NULL;
    bough_error error;
    char *text = fabric_text(lines);
    if (bough_fabric_parse("made", text, strlen(text), &fabric, &error) ||
        bough_net_from_fabric(&fabric, options, "ibnet:file=made", &net, &error))
        fail_msg("%s: %s\n%s", error.place, error.reason, text);
    bough_fabric_fini(&fabric);
    free(text);
    return net;
}

bough_routing *fabric_routing(const char *const *fabric, const char *const *tables) {
    char *text = tables_text(fabric, tables), *spec = spec_of("lft", temporary_file("made.lfts", text, 0));
    bough_routing *routing = routing_make(fabric_net(fabric, NULL), spec);
    free(spec);
    free(text);
    return routing;
}

char *spec_of(const char *name, const char *path) {
    bough_text t = {0};
    bough_text_printf(&t, "%s:file=", name);
    bough_text_put_quoted(&t, path);
    return bough_text_take(&t);
}

/* ---- files ---- */

static char directory[64];
static char names[64][128]; /* for removal at the end */
static size_t name_count;

static void remove_all(void) {
    for (size_t i = 0; i < name_count; i++) remove(names[i]);
    remove(directory);
}

const char *temporary_name(const char *name) {
    char path[128];
    if (!*directory) {
        strcpy(directory, "/tmp/bough-test-XXXXXX");
        if (!mkdtemp(directory)) fail_msg("no temporary directory");
        atexit(remove_all);
    }
    snprintf(path, sizeof path, "%s/%s", directory, name);
    for (size_t i = 0; i < name_count; i++)
        if (strcmp(names[i], path) == 0) return names[i];
    assert_true(name_count < 64);
    strcpy(names[name_count], path);
    return names[name_count++];
}

const char *temporary_file(const char *name, const char *text, size_t size) {
    const char *path = temporary_name(name);
    FILE *file = fopen(path, "wb");
    if (!size) size = strlen(text);
    if (!file || fwrite(text, 1, size, file) != size || fclose(file) != 0)
        fail_msg("%s cannot be written", path);
    return path;
}

const char *temporary_gz(const char *name, const char *text) {
    const char *path = temporary_name(name);
    gzFile file = gzopen(path, "wb");
    if (!file || gzwrite(file, text, (unsigned)strlen(text)) == 0 || gzclose(file) != Z_OK)
        fail_msg("%s cannot be written", path);
    return path;
}

char *data_path(const char *name) {
    bough_text t = {0};
    if (strncmp(name, "example:", 8) == 0)
        bough_text_printf(&t, "%s/examples/fabric/%s", SOURCE_DIR, name + 8);
    else
        bough_text_printf(&t, "%s/%s", SHARED_DATA, name);
    char *path = bough_text_take(&t);
    if (access(path, R_OK) == 0) return path;
    free(path);
    return NULL;
}

/* ---- findings ---- */

const bough_finding *find_finding(const bough_findings *findings, const char *kind) {
    for (size_t i = 0; i < findings->count; i++)
        if (strcmp(findings->item[i].kind, kind) == 0) return &findings->item[i];
    return NULL;
}

size_t count_findings(const bough_findings *findings, const char *kind) {
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++) count += strcmp(findings->item[i].kind, kind) == 0;
    return count;
}

/* ---- the tracer ---- */

static const bough_fabric *sorted_fabric; /* of the comparison at work */

static int by_lid(const void *a, const void *b) {
    uint32_t x = sorted_fabric->port[*(const uint32_t *)a].lid,
             y = sorted_fabric->port[*(const uint32_t *)b].lid;
    return (x > y) - (x < y);
}

static int by_name(const void *a, const void *b) {
    const bough_fabric *f = sorted_fabric;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int c = strcmp(f->node[f->port[x].node].name, f->node[f->port[y].node].name);
    return c ? c : (x > y) - (x < y);
}

enum { LIMIT = 64 };

/* The outgoing ports from endpoint port `from` to `to` into path; returns how many, or what stops it: 0 no
 * entry, -1 another adapter, -2 a loop. */
static int walk(const bough_fabric *f, const bough_tables *t, uint32_t from, uint32_t to, uint32_t *path) {
    uint32_t out = from;
    for (int length = 1; length <= LIMIT; length++) {
        path[length - 1] = out;
        uint32_t in = f->port[out].peer, node = f->port[in].node;
        if (f->node[node].kind != BOUGH_FABRIC_SWITCH) return in == to ? length : -1;
        uint32_t lid = f->port[to].lid;
        uint8_t number = t->port[node] && lid < t->lids ? t->port[node][lid] : BOUGH_NO_PORT;
        if (number == 0 || number == BOUGH_NO_PORT) return 0;
        out = bough_fabric_port_find(f, node, number);
        if (out == BOUGH_NO_INDEX || f->port[out].peer == BOUGH_NO_INDEX) return 0;
    }
    return -2;
}

static void trace_shift(const bough_fabric *f, const bough_tables *t, traced *r, uint64_t k, uint64_t *now) {
    uint32_t path[LIMIT];
    for (uint32_t i = 0; i < r->endpoints; i++) {
        int length = walk(f, t, r->port[i], r->port[(i + k) % r->endpoints], path);
        if (length > 0) {
            r->routed++;
            r->hops[length - 1]++;
        }
        r->no_entry += length == 0;
        r->wrong_adapter += length == -1;
        r->loops += length == -2;
        for (int s = 0; s < length; s++) {
            r->load[path[s]]++;
            if (++now[path[s]] > r->shift[k]) r->shift[k] = now[path[s]];
        }
    }
}

traced trace_tables(const bough_fabric *f, const bough_tables *tables, bool name, bool aggregation) {
    traced r = {.port = malloc(f->port_count * sizeof *r.port + 1),
                .load = calloc(f->port_count + 1, sizeof *r.load)};
    uint64_t *now = calloc(f->port_count + 1, sizeof *now), sum = 0;
    for (uint32_t p = 0; p < f->port_count; p++) {
        const bough_fabric_node *n = &f->node[f->port[p].node];
        if (n->kind == BOUGH_FABRIC_ADAPTER && f->port[p].peer != BOUGH_NO_INDEX && f->port[p].lid &&
            (aggregation || !n->aggregation))
            r.port[r.endpoints++] = p;
    }
    sorted_fabric = f;
    qsort(r.port, r.endpoints, sizeof *r.port, name ? by_name : by_lid);
    r.shift = calloc(r.endpoints + 1, sizeof *r.shift);
    for (uint64_t k = 1; k < r.endpoints; k++) {
        memset(now, 0, f->port_count * sizeof *now);
        trace_shift(f, tables, &r, k, now);
        sum += r.shift[k];
        if (r.shift[k] > r.shift_max) r.shift_max = r.shift[k], r.shift_worst_k = k;
    }
    for (uint32_t p = 0; p < f->port_count; p++)
        if (r.load[p] > r.alltoall_max) r.alltoall_max = r.load[p];
    if (r.endpoints > 1) r.shift_mean = (double)sum / (r.endpoints - 1);
    free(now);
    return r;
}

void traced_free(traced *t) {
    free(t->port);
    free(t->load);
    free(t->shift);
    *t = (traced){0};
}
