/* Maps nodes to boxes and links to lines: the finest merging of nodes that fits a page. */
#include "report/drawings/drawing.h"
#include "method/quantity.h"
#include "network/families/hypercube.h"

#include "base/memory/index_map.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/check/check_routing.h"
#include "loads/alltoall_load.h"
#include "network/faults/faults.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOT_SHARE = 4, HOT_MOST = 8 };
enum { ROW_SHIFT = 48 }; /* of the row in the key of a box: nodes and subtrees have fewer bits */

const drawing_limits drawing_on_page = {
    .hosts = 128, .boxes_per_row = 128, .rows = 256, .boxes = 512, .lines = 4096};
const drawing_limits drawing_zoomable = {
    .hosts = 128, .boxes_per_row = 8192, .rows = 8192, .boxes = 8192, .lines = 65536};

#define NO_BOX UINT32_MAX

typedef struct builder {
    const bough_net *net;
    const bough_routing *routing; /* of the loads; NULL: none */
    const drawing_options *options;
    const drawing_limits *limits;
    drawing *d;
    drawing_merge merge;
    bough_index_map box, line; /* by row and key; by the two boxes */
    uint32_t *row_boxes;
    const double *load; /* per link; NULL: none */
    double *own_load;   /* where they were computed here */
    arena memory;       /* of the rates */
    bough_link_rates rates;
    double lost; /* flows that do not arrive */
} builder;

static bool has_bit(const uint64_t *bits, uint64_t i) {
    return bits[i >> 6] >> (i & 63) & 1;
}

static bool link_dead(const bough_net *net, uint64_t link) {
    return !bough_link_alive(net, link) || bough_link_lost(net, link);
}

static bool node_dead(const bough_net *net, uint64_t node) {
    if (!net->dead && !net->lost) return false;
    for (node_links at = node_links_of(net, node); node_links_next(&at);)
        if (!link_dead(net, at.link)) return false;
    return true;
}

/* ---- boxes ---- */

/* True if no box may be added to a row. */
static bool row_full(const builder *m, unsigned row, bool host) {
    const drawing_limits *most = m->limits;
    return m->row_boxes[row] == most->boxes_per_row || m->d->boxes == most->boxes ||
           (host && m->merge.mode == MERGE_NOTHING && m->row_boxes[row] == most->hosts);
}

/* The box of a node, created if necessary; NO_BOX: the drawing is full. */
static uint32_t find_box(builder *m, uint64_t node) {
    const bough_net *base = drawing_base(m->net);
    node = drawing_base_node(m->net, node);
    drawing_key k = drawing_merge_key(&m->merge, node);
    if (k.row >= m->limits->rows) return NO_BOX;
    uint64_t key = k.key ^ (uint64_t)k.row << ROW_SHIFT;
    uint32_t b = bough_index_map_get(&m->box, key);
    if (b != BOUGH_NO_INDEX) return b;
    unsigned roles = base->ops->node_roles(base, node);
    bool host = roles == BOUGH_ENDPOINT;
    if (row_full(m, k.row, host)) return NO_BOX;
    m->row_boxes[k.row]++;
    b = (uint32_t)m->d->boxes++;
    bough_index_map_put(&m->box, key, b, NULL);
    m->d->box[b] = (drawing_box){.kind = host                    ? DRAWING_HOST
                                         : roles == BOUGH_SWITCH ? DRAWING_SWITCH
                                                                 : DRAWING_BOTH,
                                 .node = node,
                                 .level = base->ops->node_level(base, node),
                                 .row = k.row,
                                 .tree = k.tree};
    return b;
}

/* The line between two boxes, created if necessary; NULL: the drawing is full. */
static drawing_line *find_line(builder *m, uint32_t a, uint32_t b) {
    drawing *d = m->d;
    bool upward = d->box[a].row < d->box[b].row || (d->box[a].row == d->box[b].row && a < b);
    uint32_t from = upward ? a : b, to = upward ? b : a;
    uint64_t key = (uint64_t)from << 32 | to;
    uint32_t line = bough_index_map_get(&m->line, key);
    if (line != BOUGH_NO_INDEX) return &d->line[line];
    if (d->lines == m->limits->lines) return NULL;
    bough_index_map_put(&m->line, key, (uint32_t)d->lines, NULL);
    d->line[d->lines] = (drawing_line){.from = from, .to = to, .most_loaded = BOUGH_NONE};
    return &d->line[d->lines++];
}

static void start_over(builder *m) {
    m->d->boxes = m->d->lines = 0;
    m->d->load_max = 0;
    bough_index_map_clear(&m->box);
    bough_index_map_clear(&m->line);
    memset(m->row_boxes, 0, sizeof *m->row_boxes * m->limits->rows);
}

static void add_link(builder *m, drawing_line *line, uint64_t link, bool back) {
    const bough_net *net = m->net;
    line->links[back]++;
    line->dead += link_dead(net, link);
    line->marked |= m->options->marks && has_bit(m->options->marks->link, link);
    if (!m->load || !(m->load[link] > 0)) return;
    if (m->load[link] > line->load[back]) line->load[back] = m->load[link];
    if (line->most_loaded == BOUGH_NONE || m->load[link] > m->load[line->most_loaded])
        line->most_loaded = link;
}

/* Adds all nodes and links; false if they do not fit the page. */
static bool fill_counted(builder *m) {
    const bough_net *net = m->net;
    start_over(m);
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint32_t b = find_box(m, v);
        if (b == NO_BOX) return false;
        m->d->box_of[v] = b;
        m->d->box[b].count += drawing_base_node(net, v) == v; /* a port is not counted */
        m->d->box[b].dead += node_dead(net, v);
        m->d->box[b].marked |= m->options->marks && has_bit(m->options->marks->node, v);
    }
    for (uint64_t l = 0; l < net->links; l++) {
        uint32_t a = m->d->box_of[bough_link_start(net, l)],
                 b = m->d->box_of[net->ops->link_end(net, l).node];
        if (m->load && m->load[l] > m->d->load_max) m->d->load_max = m->load[l];
        if (a == b) {
            if (m->load && m->load[l] > m->d->box[a].load) m->d->box[a].load = m->load[l];
            continue;
        }
        drawing_line *line = find_line(m, a, b);
        if (!line) return false;
        add_link(m, line, l, line->from != a);
    }
    return true;
}

/* Adds the boxes and lines on one route. */
static bool follow(builder *m, uint64_t source, uint64_t target) {
    const bough_net *net = m->net;
    uint64_t at = source, address = bough_endpoint_address(net, target);
    uint32_t a = find_box(m, at);
    for (unsigned steps = 0; a != NO_BOX && at != target && steps < 4096; steps++) {
        bough_route route;
        net->ops->route(net, at, address, &route);
        if (route.count == 0) return true;
        at = net->ops->link_end(net, bough_route_link(&route, 0)).node;
        uint32_t b = find_box(m, at);
        if (b == NO_BOX || (a != b && !find_line(m, a, b))) return false;
        a = b;
    }
    return a != NO_BOX;
}

static bool fill_routes(builder *m) {
    enum { SAMPLES = 4096, ENDS = 64 };
    const bough_net *net = m->net;
    uint64_t end[ENDS];
    size_t ends = 0;
    start_over(m);
    for (uint64_t i = 0; i < SAMPLES && ends < ENDS; i++) {
        uint64_t e = (uint64_t)((double)net->endpoints * (double)i / SAMPLES);
        size_t before = m->d->boxes;
        if (find_box(m, e) == NO_BOX) return false;
        if (m->d->boxes > before) end[ends++] = e;
    }
    for (size_t i = 0; i < ends; i++)
        for (size_t k = 0; k < ends; k++)
            if (i != k && !follow(m, end[i], end[k])) return false;
    return true;
}

static bough_status fill(builder *m, bough_error *error) {
    bough_status tree = drawing_merge_depths(&m->merge, drawing_base(m->net), &m->d->depths, error);
    if (tree) return tree;
    m->d->depths = m->d->depths && fill_counted(m);
    if (m->d->depths) return BOUGH_OK;
    for (unsigned i = 0;; i++) {
        bool any;
        bough_status status = drawing_merge_init(&m->merge, drawing_base(m->net), i, &any, error);
        if (status) return status;
        if (!any)
            return bough_fail(error, BOUGH_TOO_LARGE, NULL, "%s has more levels than fit a page",
                              m->net->spec);
        if (m->d->counted ? fill_counted(m) : fill_routes(m)) return BOUGH_OK;
    }
}

/* ---- loads ---- */

static double largest_load(const drawing_line *l) {
    return l->load[0] > l->load[1] ? l->load[0] : l->load[1];
}

/* Lines are hot if only a few have the maximum load. */
static void classify_loads(drawing *d, double least) {
    size_t used = 0, full = 0;
    d->load_scale = d->load_max > least ? d->load_max : least;
    for (size_t i = 0; i < d->lines; i++) {
        drawing_line *l = &d->line[i];
        double share = d->load_scale > 0 ? largest_load(l) / d->load_scale : 0;
        l->bin = share > 0 ? 1 + (unsigned)(share * DRAWING_BINS * (1 - 1e-9)) : 0;
        l->hot = d->load_max > 0 && largest_load(l) >= d->load_max * (1 - 1e-9);
        used += share > 0;
        full += l->hot;
    }
    bool few = full <= HOT_MOST && full * HOT_SHARE <= used;
    for (size_t i = 0; i < d->lines; i++) d->line[i].hot &= few;
}

/* Loads as times at the nominal rate, so that the link that takes longest has the largest. */
static bough_status weigh_loads(builder *m, bough_error *error) {
    const uint64_t links = m->net->links;
    bough_status status = bough_link_rates_find(m->net, &m->memory, &m->rates, error);
    if (status || !bough_link_rates_mixed(&m->rates)) return status;
    if (!m->own_load) {
        status = bough_alloc(&m->own_load, links, sizeof *m->own_load, error);
        if (status) return status;
        memcpy(m->own_load, m->load, links * sizeof *m->own_load);
        m->load = m->own_load;
    }
    for (uint64_t l = 0; l < links; l++) m->own_load[l] *= bough_link_weight(m->net, &m->rates, l);
    return BOUGH_OK;
}

static bough_status find_loads(builder *m, bough_error *error) {
    const bough_net *net = m->net;
    if (m->options->load && m->d->counted) {
        m->load = m->options->load;
        m->d->loads = true;
        m->d->expected = m->options->expected;
        return weigh_loads(m, error);
    }
    if (!m->routing) return BOUGH_OK;
    if (!m->d->counted)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "%s has %" PRIu64
                          " nodes; loads are drawn up to %d (use linkload for larger networks)",
                          net->spec, net->nodes, DRAWING_COUNTED);
    bough_status status = bough_alloc(&m->own_load, net->links, sizeof *m->own_load, error);
    alltoall_result result = {0};
    TRY(alltoall_loads(m->routing, NULL, m->own_load, &result, error));
    m->d->expected = result.expected;
    m->lost = result.lost;
    m->load = m->own_load;
    m->d->loads = !status;
    TRY(weigh_loads(m, error));
    return status;
}

/* ---- texts ---- */

static void put_count(bough_text *out, uint64_t count, const char *one, const char *several) {
    bough_text_printf(out, "%" PRIu64 " %s", count, count == 1 ? one : several);
}

static void put_merged(bough_text *out, const drawing_merge *m) {
    static const char *const text[] = {
        [MERGE_NOTHING] = "",
        [MERGE_HOSTS] = "Hosts are merged at their leaf switch.",
        [MERGE_SUBTREES] = "A box contains the switches of one subtree, from the lowest level up.",
        [MERGE_BLOCKS] = "A box is a block of switches of one level.",
        [MERGE_SUBCUBES] = "",
        [MERGE_GRID] = "",
        [MERGE_DEPTHS] =
            ("Most cables join switches of one level, so rows are distances from the middle of the network; "
             "the hosts of a switch are one box below it."),
    };
    bough_text_put(out, text[m->mode]);
    if (m->mode == MERGE_SUBCUBES && m->shift)
        bough_text_printf(out, "A box is a subcube of 2^%u nodes.", m->shift);
}

static void put_caption(bough_text *out, const builder *m) {
    const bough_net *net = m->net;
    const drawing *d = m->d;
    put_count(out, net->endpoints, "endpoint", "endpoints");
    bough_text_put(out, ", ");
    put_count(out, net->switches, "switch", "switches");
    bough_text_put(out, ", ");
    put_count(out, net->cables, "cable between switches.", "cables between switches.");
    bough_text_printf(out, "%s%s", *d->merged ? " " : "", d->merged);
    if (m->options->marks) bough_text_printf(out, " %s", m->options->marks->caption);
    if (!d->counted) bough_text_put(out, " Too large to count links: lines are those that routes use.");
    if (!d->loads) return;
    bough_text_printf(out, " Loads: %sflows of all-to-all", d->expected ? "expected " : "");
    if (m->routing) bough_text_printf(out, " under %s", m->routing->spec);
    char text[QUANTITY_TEXT], weight[120];
    bough_text_printf(out, ", at most %s on a link", quantity_format(d->load_max, 0, text));
    if (m->lost > 0) bough_text_printf(out, "; %s flows do not arrive", quantity_format(m->lost, 0, text));
    if (bough_link_rates_mixed(&m->rates))
        bough_text_printf(out, "; %s", bough_link_weight_text(&m->rates, weight, sizeof weight));
    bough_text_put(out, ".");
}

static bough_status describe(const builder *m, bough_error *error) {
    const bough_net *net = m->net, *whole = net->faults ? net->faults->base : net;
    drawing *d = m->d;
    bough_text head = {0}, merged = {0}, caption = {0};
    bough_text_put(&head, whole->spec);
    if (net->faults) bough_text_printf(&head, " without %s", net->faults->spec ? net->faults->spec : "some");
    put_merged(&merged, &m->merge);
    size_t length = head.length + merged.length;
    d->heading = bough_text_take(&head);
    d->merged = bough_text_take(&merged);
    if (d->merged) put_caption(&caption, m);
    d->caption = bough_text_take(&caption);
    return d->heading && d->merged && d->caption ? BOUGH_OK : bough_fail_memory(error, length);
}

static void summarise(drawing *d) {
    for (size_t i = 0; i < d->boxes; i++) {
        if (d->box[i].row >= d->rows) d->rows = d->box[i].row + 1;
        if (d->box[i].dead) d->faults = true;
    }
    for (size_t i = 0; i < d->lines; i++) {
        d->line[i].whole = d->line[i].dead && d->line[i].dead == d->line[i].links[0] + d->line[i].links[1];
        if (d->line[i].dead) d->faults = true;
    }
}

static bough_status allocate(builder *m, bough_error *error) {
    drawing *d = m->d;
    uint64_t boxes = m->net->nodes < m->limits->boxes ? m->net->nodes : m->limits->boxes,
             lines = m->net->links < m->limits->lines ? m->net->links : m->limits->lines;
    bough_status status = bough_alloc(&d->box, boxes, sizeof *d->box, error);
    TRY(bough_alloc(&d->line, lines, sizeof *d->line, error));
    TRY(bough_index_map_reserve(&m->box, boxes, error));
    TRY(bough_index_map_reserve(&m->line, lines, error));
    TRY(bough_alloc(&m->row_boxes, m->limits->rows, sizeof *m->row_boxes, error));
    if (d->counted) TRY(bough_alloc(&d->box_of, m->net->nodes, sizeof *d->box_of, error));
    return status;
}

bough_status drawing_make(const bough_net *net, const drawing_options *options, drawing *d,
                          bough_error *error) {
    const bough_net *base = drawing_base(net);
    *d = (drawing){.net = net,
                   .counted = drawing_counts(net),
                   .placed = hypercube_dimensions(base) || drawing_is_grid(base)};
    d->marks = options->marks;
    builder m = {.net = net,
                 .routing = options->routing,
                 .options = options,
                 .limits = options->limits ? options->limits : &drawing_on_page,
                 .d = d};
    bough_status status = find_loads(&m, error);
    TRY(allocate(&m, error));
    TRY(fill(&m, error));
    if (!status) summarise(d);
    if (!status) classify_loads(d, options->scale);
    TRY(describe(&m, error));
    TRY(drawing_arrange(d, error));
    drawing_merge_fini(&m.merge);
    bough_index_map_fini(&m.box);
    bough_index_map_fini(&m.line);
    FREE_ALL(m.row_boxes, m.own_load);
    arena_fini(&m.memory);
    return status;
}

void drawing_fini(drawing *d) {
    for (size_t i = 0; i < d->boxes; i++) free(d->box[i].label);
    FREE_ALL(d->box, d->line, d->frame, d->box_of, d->heading, d->merged, d->caption);
    *d = (drawing){0};
}
