/* Maps nodes to boxes and links to lines: the finest merging of nodes that fits a page. */
#include "report/drawings/drawing.h"
#include "network/families/hypercube.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "bough/faults.h"
#include "models/link_load/alltoall_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4 * DRAWING_BOXES, HOT_SHARE = 4, HOT_MOST = 8 };

typedef struct making {
    const bough_net *net;
    drawing *d;
    drawing_sharing sharing;
    uint32_t slot[SLOTS]; /* box + 1, hashed by row and key */
    uint64_t key[DRAWING_BOXES + 1];
    unsigned row_boxes[DRAWING_ROWS];
    uint32_t *box_of;   /* per node; counted networks */
    uint32_t *line_of;  /* [a][b]: line + 1 */
    const double *load; /* per link; NULL: none */
} making;

static bool link_dead(const bough_net *net, uint64_t link) {
    return !bough_link_alive(net, link) || bough_link_lost(net, link);
}

static bool node_dead(const bough_net *net, uint64_t node) {
    if (!net->dead && !net->lost) return false;
    for (uint32_t g = 0; g < net->ops->node_group_count(net, node); g++) {
        bough_range r = net->ops->group_links(net, net->ops->node_group(net, node, g));
        for (uint64_t l = r.first; l < r.first + r.count; l++)
            if (!link_dead(net, l)) return false;
    }
    return true;
}

/* ---- boxes ---- */

/* The box of a node, created if necessary; DRAWING_BOXES: the page is full. */
static uint32_t find_box(making *m, uint64_t node) {
    drawing_place_of p = drawing_place(&m->sharing, node);
    uint64_t at = ((p.key ^ (uint64_t)p.row << 56) * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    for (at %= SLOTS; m->slot[at]; at = (at + 1) % SLOTS) {
        uint32_t b = m->slot[at] - 1;
        if (m->key[b] == p.key && m->d->box[b].row == p.row) return b;
    }
    bool roomless =
        p.row >= DRAWING_ROWS || m->row_boxes[p.row] == DRAWING_ROW || m->d->boxes == DRAWING_BOXES;
    unsigned roles = m->net->ops->node_roles(m->net, node);
    bool host = roles == BOUGH_ENDPOINT;
    if (roomless || (host && m->sharing.mode == DRAW_NODES && m->row_boxes[p.row] == DRAWING_HOSTS))
        return DRAWING_BOXES;
    uint32_t b = (uint32_t)m->d->boxes++;
    m->row_boxes[p.row]++;
    m->slot[at] = b + 1;
    m->key[b] = p.key;
    m->d->box[b] = (drawing_box){.kind = host                    ? DRAWING_HOST
                                         : roles == BOUGH_SWITCH ? DRAWING_SWITCH
                                                                 : DRAWING_BOTH,
                                 .node = node,
                                 .level = m->net->ops->node_level(m->net, node),
                                 .row = p.row,
                                 .tree = p.tree};
    return b;
}

static drawing_line *find_line(making *m, uint32_t a, uint32_t b) {
    const drawing_box *box = m->d->box;
    if (box[a].row > box[b].row || (box[a].row == box[b].row && a > b)) {
        uint32_t c = a;
        a = b, b = c;
    }
    uint32_t *line = &m->line_of[(size_t)a * DRAWING_BOXES + b];
    if (*line) return &m->d->line[*line - 1];
    if (m->d->lines == DRAWING_LINES) return NULL;
    drawing_line *l = &m->d->line[m->d->lines++];
    *line = (uint32_t)m->d->lines;
    *l = (drawing_line){.from = a, .to = b, .fullest = BOUGH_NONE};
    return l;
}

static void start_over(making *m) {
    m->d->boxes = m->d->lines = 0;
    m->d->load_max = 0;
    memset(m->slot, 0, sizeof m->slot);
    memset(m->row_boxes, 0, sizeof m->row_boxes);
    memset(m->line_of, 0, sizeof *m->line_of * DRAWING_BOXES * DRAWING_BOXES);
}

static void add_link(making *m, drawing_line *line, uint64_t link, bool back) {
    const bough_net *net = m->net;
    line->links[back]++;
    line->dead += link_dead(net, link);
    if (!m->load || !(m->load[link] > 0)) return;
    if (m->load[link] > line->load[back]) line->load[back] = m->load[link];
    if (line->fullest == BOUGH_NONE || m->load[link] > m->load[line->fullest]) line->fullest = link;
}

/* Adds all nodes and links; false if they do not fit the page. */
static bool fill_counted(making *m) {
    const bough_net *net = m->net;
    start_over(m);
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint32_t b = find_box(m, v);
        if (b == DRAWING_BOXES) return false;
        m->box_of[v] = b;
        m->d->box[b].count++;
        m->d->box[b].dead += node_dead(net, v);
    }
    for (uint64_t l = 0; l < net->links; l++) {
        uint32_t a = m->box_of[bough_link_start(net, l)], b = m->box_of[net->ops->link_end(net, l).node];
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
static bool follow(making *m, uint64_t source, uint64_t target) {
    const bough_net *net = m->net;
    uint64_t at = source, address = bough_endpoint_address(net, target);
    uint32_t a = find_box(m, at);
    for (unsigned steps = 0; a < DRAWING_BOXES && at != target && steps < 4096; steps++) {
        bough_route route;
        net->ops->route(net, at, address, &route);
        if (route.count == 0) return true;
        at = net->ops->link_end(net, bough_route_link(&route, 0)).node;
        uint32_t b = find_box(m, at);
        if (b == DRAWING_BOXES || (a != b && !find_line(m, a, b))) return false;
        a = b;
    }
    return a < DRAWING_BOXES;
}

static bool fill_routes(making *m) {
    enum { SAMPLES = 4096, ENDS = 64 };
    const bough_net *net = m->net;
    uint64_t end[ENDS];
    size_t ends = 0;
    start_over(m);
    for (uint64_t i = 0; i < SAMPLES && ends < ENDS; i++) {
        uint64_t e = (uint64_t)((double)net->endpoints * (double)i / SAMPLES);
        size_t before = m->d->boxes;
        if (find_box(m, e) == DRAWING_BOXES) return false;
        if (m->d->boxes > before) end[ends++] = e;
    }
    for (size_t i = 0; i < ends; i++)
        for (size_t k = 0; k < ends; k++)
            if (i != k && !follow(m, end[i], end[k])) return false;
    return true;
}

static bough_status fill(making *m, bough_error *error) {
    for (unsigned i = 0;; i++) {
        bool any;
        bough_status status = drawing_candidate(m->net, i, &m->sharing, &any, error);
        if (status) return status;
        if (!any)
            return bough_fail(error, BOUGH_TOO_LARGE, NULL, "%s has more levels than fit a page",
                              m->net->spec);
        if (m->d->counted ? fill_counted(m) : fill_routes(m)) return BOUGH_OK;
    }
}

/* ---- loads ---- */

static int hot_first(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

static double fullest(const drawing_line *l) {
    return l->load[0] > l->load[1] ? l->load[0] : l->load[1];
}

/* Links are hot if only a few have the maximum load. */
static bough_status grade(drawing *d, bough_error *error) {
    double *load, most = d->load_max;
    size_t used = 0, full = 0;
    bough_status status = bough_alloc(&load, d->lines, sizeof *load, error);
    if (status) return status;
    for (size_t i = 0; i < d->lines; i++)
        if (fullest(&d->line[i]) > 0) load[used++] = fullest(&d->line[i]);
    qsort(load, used, sizeof *load, hot_first);
    while (full < used && load[full] >= most * (1 - 1e-9)) full++;
    for (size_t i = 0; i < d->lines; i++) {
        drawing_line *l = &d->line[i];
        double share = most > 0 ? fullest(l) / most : 0;
        l->bin = share > 0 ? 1 + (unsigned)(share * DRAWING_BINS * (1 - 1e-9)) : 0;
        l->hot = share >= 1 - 1e-9 && full <= HOT_MOST && full * HOT_SHARE <= used;
    }
    free(load);
    return BOUGH_OK;
}

static bough_status find_loads(const bough_net *net, const bough_routing *routing, drawing *d, double **load,
                               double *lost, bough_error *error) {
    if (!d->counted)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "%s has %" PRIu64
                          " nodes; loads are drawn up to %d (use linkload for larger networks)",
                          net->spec, net->nodes, DRAWING_COUNTED);
    bough_status status = bough_alloc(load, net->links, sizeof **load, error);
    TRY(alltoall_loads(routing, *load, &d->expected, lost, error));
    d->loads = !status;
    return status;
}

/* ---- texts ---- */

static void put_count(bough_text *out, uint64_t count, const char *one, const char *several) {
    bough_text_printf(out, "%" PRIu64 " %s", count, count == 1 ? one : several);
}

static void say_sharing(bough_text *out, const making *m) {
    static const char *const text[] = {
        [DRAW_NODES] = "",
        [DRAW_HOSTS_GATHERED] = " Hosts are merged at their leaf switch.",
        [DRAW_SUBTREES] = " A box contains the switches of one subtree, from the lowest level up.",
        [DRAW_BLOCKS] = " A box is a block of switches of one level.",
        [DRAW_SUBCUBES] = "",
    };
    bough_text_put(out, text[m->sharing.mode]);
    if (m->sharing.mode == DRAW_SUBCUBES && m->sharing.shift)
        bough_text_printf(out, " A box is a subcube of 2^%u nodes.", m->sharing.shift);
    if (!m->d->counted) bough_text_put(out, " Too large to count links: lines are those that routes use.");
}

static bough_status describe(const making *m, const bough_routing *routing, double lost, bough_error *error) {
    const bough_net *net = m->net, *whole = net->faults ? net->faults->base : net;
    drawing *d = m->d;
    bough_text head = {0}, caption = {0};
    char number[40];
    bough_text_put(&head, whole->spec);
    if (net->faults) bough_text_printf(&head, " without %s", net->faults->spec ? net->faults->spec : "some");
    put_count(&caption, net->endpoints, "endpoint", "endpoints");
    bough_text_put(&caption, ", ");
    put_count(&caption, net->switches, "switch", "switches");
    bough_text_put(&caption, ", ");
    put_count(&caption, net->cables, "cable between switches.", "cables between switches.");
    say_sharing(&caption, m);
    if (d->loads) {
        snprintf(number, sizeof number, "%.6g", d->load_max);
        bough_text_printf(&caption, " Loads: %sflows of all-to-all under %s, at most %s on a link",
                          d->expected ? "expected " : "", routing->spec, number);
        if (lost > 0) bough_text_printf(&caption, "; %.6g flows do not arrive", lost);
        bough_text_put(&caption, ".");
    }
    size_t length = head.length + caption.length;
    d->heading = bough_text_take(&head);
    d->caption = bough_text_take(&caption);
    return d->heading && d->caption ? BOUGH_OK : bough_fail_memory(error, length);
}

static void summarise(making *m) {
    drawing *d = m->d;
    d->gathered = m->sharing.mode != DRAW_NODES && !(d->cube && !m->sharing.shift);
    for (size_t i = 0; i < d->boxes; i++) {
        if (d->box[i].row >= d->rows) d->rows = d->box[i].row + 1;
        if (d->box[i].dead) d->faults = true;
    }
    for (size_t i = 0; i < d->lines; i++) {
        d->line[i].whole = d->line[i].dead && d->line[i].dead == d->line[i].links[0] + d->line[i].links[1];
        if (d->line[i].dead) d->faults = true;
    }
}

bough_status drawing_make(const bough_net *net, const drawing_options *options, drawing *d,
                          bough_error *error) {
    making *m = NULL;
    double *load = NULL, lost = 0;
    *d = (drawing){.counted = drawing_counts(net), .cube = hypercube_dimensions(net)};
    bough_status status = bough_alloc(&m, 1, sizeof *m, error);
    if (!status && options && options->routing)
        status = find_loads(net, options->routing, d, &load, &lost, error);
    TRY(bough_alloc(&d->box, DRAWING_BOXES, sizeof *d->box, error));
    TRY(bough_alloc(&d->line, DRAWING_LINES, sizeof *d->line, error));
    if (!status) {
        *m = (making){.net = net, .d = d, .load = load};
        status = bough_alloc(&m->line_of, DRAWING_BOXES * DRAWING_BOXES, sizeof *m->line_of, error);
    }
    if (!status && d->counted) status = bough_alloc(&m->box_of, net->nodes, sizeof *m->box_of, error);
    TRY(fill(m, error));
    if (!status) summarise(m);
    if (!status && d->loads) status = grade(d, error);
    TRY(describe(m, options ? options->routing : NULL, lost, error));
    TRY(drawing_arrange(net, d, error));
    if (m) {
        drawing_sharing_fini(&m->sharing);
        free(m->box_of);
        free(m->line_of);
    }
    free(m);
    free(load);
    return status;
}

void drawing_fini(drawing *d) {
    for (size_t i = 0; i < d->boxes; i++) {
        free(d->box[i].label);
        free(d->box[i].title);
    }
    for (size_t i = 0; i < d->lines; i++) free(d->line[i].title);
    free(d->box);
    free(d->line);
    free(d->frame);
    free(d->heading);
    free(d->caption);
    *d = (drawing){0};
}
