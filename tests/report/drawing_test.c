/* Drawings of networks: too much to draw, figures by hand, bounds for any size, what is marked, and the SVG.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fabric/check/check_routing.h"
#include "network/faults/faults.h"
#include "report/drawings/drawing.h"
#include "report/drawings/sorter_svg.h"
#include "support/fabrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static arena memory; /* of results */

static drawing draw(const bough_net *net, const bough_routing *routing) {
    drawing d;
    bough_error error;
    if (drawing_make(net, &(drawing_options){.routing = routing}, &d, &error))
        fail_msg("%s: %s", net->spec, error.reason);
    return d;
}

static char *svg_of(const drawing *d) {
    bough_text text = {0};
    bough_error error;
    assert_int_equal(drawing_svg(d, &text, &error), BOUGH_OK);
    return bough_text_take(&text);
}

static void refused(const char *network, const char *routing, bough_status status, const char *reason) {
    bough_net *net = net_make(network);
    bough_routing *r = routing_make(net, routing);
    drawing d;
    bough_error error;
    assert_int_equal(drawing_make(net, &(drawing_options){.routing = r}, &d, &error), status);
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    drawing_fini(&d);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

static void test_refused(void **state) {
    (void)state;
    refused("fattree:n=2^40", "random", BOUGH_TOO_LARGE, "loads are drawn up to");
    refused("fattree:n=16", "least", BOUGH_UNSUPPORTED, "least");
}

/* ---- marks ---- */

static void marks_refused(const char *network, const char *what, const char *reason) {
    bough_net *net = net_make(network);
    drawing_marks marks;
    bough_error error;
    if (!drawing_marks_make(net, what, &marks, &error)) fail_msg("%s: %s is marked", network, what);
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    drawing_marks_fini(&marks);
    bough_net_destroy(net);
}

static void wrong_marks_are_refused(void **state) {
    (void)state;
    marks_refused("pruned:n=16", "", "is not a part of pruned:n=16");
    marks_refused("pruned:n=16", "h3", "'h3' is not a part of");
    marks_refused("pruned:n=16", ":", "does not name two nodes");
    marks_refused("pruned:n=16", "h0:h16", "does not name two nodes");
    marks_refused("pruned:n=16", "h3:h3", "is one node");
    marks_refused("pruned:n=16", "pruned", "embedded in butterfly:n=4^k");
    marks_refused("butterfly:n=8", "pruned", "embedded in butterfly:n=4^k");
    marks_refused("butterfly:n=16", "meshoftrees", "embedded in pruned:n=4^k");
    marks_refused("butterfly:n=2^20", "pruned", "more than 1048576 nodes");
}

/* Figures 1 and 2 of bay1991; the path is the only one of four links. An edge of the mesh of trees is one
 * link or two; with four leaves all vertices are on one, and of 12 links all but those from a leaf of row r
 * to vertex 1 - r, unless its column is 1 - r. */
static void marks_are_those_of_the_part(void **state) {
    (void)state;
    static const struct {
        const char *network, *what, *caption;
        unsigned lines, boxes;
    } known[] = {
        {"pruned:n=16,names=triples", "<4,10,0>:<0,0,2>", "a shortest path from <4,10,0> to <0,0,2>, 4 links",
         4, 5},
        {"pruned:n=16", "h0:h1", "a shortest path from h0 to h1, 2 links", 2, 3},
        {"fattree:n=16", "h0:h15", "from h0 to h15, 8 links", 8, 9},
        {"butterfly:n=16", "pruned", "Marked: pruned:n=16.", 6 * 16 - 6 * 4, 4 * 16 - 3 * 4},
        {"pruned:n=4", "meshoftrees", "the mesh of trees", 10, 10},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bough_net *net = net_make(known[i].network);
        drawing_marks marks;
        drawing d;
        bough_error error;
        unsigned lines = 0, boxes = 0;
        assert_int_equal(drawing_marks_make(net, known[i].what, &marks, &error), BOUGH_OK);
        assert_int_equal(drawing_make(net, &(drawing_options){.marks = &marks}, &d, &error), BOUGH_OK);
        for (size_t l = 0; l < d.lines; l++) lines += d.line[l].marked;
        for (size_t b = 0; b < d.boxes; b++) boxes += d.box[b].marked;
        char *svg = svg_of(&d);
        if (!strstr(marks.caption, known[i].caption)) fail_msg("'%s'", marks.caption);
        if (lines != known[i].lines || boxes != known[i].boxes)
            fail_msg("%s %s: %u lines, %u boxes", known[i].network, known[i].what, lines, boxes);
        assert_non_null(strstr(svg, "class=\"m\""));
        free(svg);
        drawing_fini(&d);
        drawing_marks_fini(&marks);
        bough_net_destroy(net);
    }
}

/* ---- sorters ---- */

static unsigned occurrences(const char *text, const char *of) {
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, of)); at++) count++;
    return count;
}

static void sorters_that_are_not_drawn(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"pruned:n=16", "of a sorting fat-tree (sorting:n=...); pruned:n=16"},
        {"sorting:n=4096", "has 128 cycles of 32 cells"}};
    for (size_t i = 0; i < 2; i++) {
        bough_net *net = net_make(wrong[i][0]);
        bough_text text = {0};
        bough_error error;
        assert_int_not_equal(sorter_svg(net, &text, &error), BOUGH_OK);
        if (!strstr(error.reason, wrong[i][1])) fail_msg("%s", error.reason);
        bough_text_fini(&text);
        bough_net_destroy(net);
    }
}

/* n = 128: s = sqrt(2 n) = 16 cycles of l / s = 8 cells, 4 stages of 8 switches; cycles close at 1, 2, 4, 8.
 */
static void the_sorter_of_figure_4(void **state) {
    (void)state;
    bough_net *net = net_make("sorting:n=128");
    bough_text text = {0};
    bough_error error;
    assert_int_equal(sorter_svg(net, &text, &error), BOUGH_OK);
    assert_non_null(strstr(text.data, "s = 16, l = 128"));
    assert_int_equal(occurrences(text.data, "<rect class=\"c\""), 16 * 8);
    assert_int_equal(occurrences(text.data, "<path class=\"s\""), 16 * 4);
    assert_int_equal(occurrences(text.data, "<path class=\"o\""), 4 * 8);
    assert_int_equal(occurrences(text.data, "<circle class=\"o\""), 2 * 4 * 8);
    assert_int_equal(occurrences(text.data, "<rect class=\"k\""), 1);
    bough_text_fini(&text);
    bough_net_destroy(net);
}

/* ---- by hand ---- */

static const drawing_box *box_of(const drawing *d, uint64_t node) {
    for (size_t i = 0; i < d->boxes; i++)
        if (d->box[i].node == node) return &d->box[i];
    return NULL;
}

/* Figure 1 of strumpen2005: a row of 16 endpoints, four of 8 routers; frames are router nodes: 4, 2 and 1. */
static void test_figure_1(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=16");
    drawing d = draw(net, NULL);
    assert_int_equal(d.boxes, 48);
    assert_int_equal(d.lines, 64);
    assert_int_equal(d.frames, 7);
    assert_int_equal(d.rows, 5);
    for (uint64_t e = 0; e < 15; e++) assert_true(box_of(&d, e)->x < box_of(&d, e + 1)->x);
    for (size_t i = 0; i < d.lines; i++) {
        const drawing_line *l = &d.line[i];
        assert_int_equal(d.box[l->to].level, d.box[l->from].level + 1);
        assert_true(d.box[l->to].y < d.box[l->from].y);
        assert_int_equal(l->links[0], 1);
        assert_int_equal(l->links[1], 1);
    }
    drawing_fini(&d);
    bough_net_destroy(net);
}

static uint64_t crossings(const drawing *d) {
    uint64_t count = 0;
    for (size_t i = 0; i < d->lines; i++)
        for (size_t k = 0; k < i; k++) {
            const drawing_box *a = &d->box[d->line[i].from], *b = &d->box[d->line[i].to],
                              *p = &d->box[d->line[k].from], *q = &d->box[d->line[k].to];
            if (a->row != p->row || b->row != q->row) continue;
            count += (a->x < p->x && b->x > q->x) || (a->x > p->x && b->x < q->x);
        }
    return count;
}

/* A fabric whose names stand against its shape: leaves are named so that by name every pair of hosts' lines
 * and half of the leaves' lines would cross. */
static void test_few_crossings(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "S8 lid 8",
                                        "S9 lid 9",  "H1 lid 11", "H2 lid 12", "H3 lid 13", "H4 lid 14",
                                        "S1:1 S8:1", "S2:1 S9:1", "S3:1 S8:2", "S4:1 S9:2", "S1:5 H4:1",
                                        "S2:5 H3:1", "S3:5 H2:1", "S4:5 H1:1", "S8:9 S9:9", NULL};
    bough_net *net = fabric_net(lines, NULL);
    drawing d = draw(net, NULL);
    assert_int_equal(crossings(&d), 0);
    drawing_fini(&d);
    bough_net_destroy(net);
}

/* Every line of a cube joins nodes that differ in one bit, no two nodes stand on each other. */
static void test_cube(void **state) {
    (void)state;
    static const uint64_t size[] = {2, 4, 16, 64, 1024, UINT64_C(1) << 40};
    for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
        char spec[48];
        snprintf(spec, sizeof spec, "cube:n=%llu", (unsigned long long)size[s]);
        bough_net *net = net_make(spec);
        drawing d = draw(net, NULL);
        size_t boxes = size[s] < 64 ? (size_t)size[s] : 64, bits = 0;
        uint64_t subcube = size[s] / boxes;
        while ((size_t)1 << bits < boxes) bits++;
        assert_int_equal(d.boxes, boxes);
        assert_int_equal(d.lines, boxes * bits / 2);
        for (size_t i = 0; i < d.lines; i++) {
            uint64_t turned = (d.box[d.line[i].from].node ^ d.box[d.line[i].to].node) / subcube;
            assert_true(turned && !(turned & (turned - 1)));
        }
        for (size_t i = 0; i < d.boxes; i++)
            for (size_t k = 0; k < i; k++)
                assert_true(hypot(d.box[i].x - d.box[k].x, d.box[i].y - d.box[k].y) > 22);
        drawing_fini(&d);
        bough_net_destroy(net);
    }
}

/* Neighbours along a line are equally far from each other, on a grid one step; with ports a node is one box
 * at the same place. */
static void a_mesh_is_a_grid(void **state) {
    (void)state;
    bough_net *net = net_make("mesh:dims=5x3"), *ported;
    bough_error error;
    assert_int_equal(bough_ports_create(net, &ported, &error), BOUGH_OK);
    drawing d = draw(net, NULL), p = draw(ported, NULL);
    assert_int_equal(d.boxes, 15);
    assert_int_equal(p.boxes, 15);
    assert_int_equal(d.lines, 4 * 3 + 5 * 2);
    for (size_t i = 0; i < d.boxes; i++) {
        const double column = (double)(d.box[i].node % 5), row = (double)(d.box[i].node / 5);
        assert_true(d.box[i].x == d.box[0].x + column * (d.box[1].x - d.box[0].x));
        assert_true(d.box[i].y == d.box[0].y - row * (d.box[1].x - d.box[0].x));
        assert_true(p.box[i].x == d.box[i].x && p.box[i].y == d.box[i].y && p.box[i].count == 1);
    }
    drawing_fini(&d);
    drawing_fini(&p);
    bough_net_destroy(ported);
    bough_net_destroy(net);
}

/* No cable of a ring runs through another node: the last one, too. */
static void rings_bow(void **state) {
    (void)state;
    bough_net *net = net_make("torus:dims=6x5");
    drawing d = draw(net, NULL);
    assert_int_equal(d.lines, 60);
    for (size_t i = 0; i < d.lines; i++)
        for (size_t k = 0; k < d.boxes; k++) {
            const drawing_line *l = &d.line[i];
            const double x = d.box[k].x - l->x[0], y = d.box[k].y - l->y[0], dx = l->x[1] - l->x[0],
                         dy = l->y[1] - l->y[0], along = (x * dx + y * dy) / (dx * dx + dy * dy);
            if (k == l->from || k == l->to || along < 0 || along > 1) continue;
            assert_true(fabs(x * dy - y * dx) / hypot(dx, dy) > 11); /* half a box */
        }
    drawing_fini(&d);
    bough_net_destroy(net);
}

/* ---- bounds ---- */

static void check_page(const drawing *d, const char *spec) {
    assert_true(d->boxes <= drawing_on_page.boxes && d->lines <= drawing_on_page.lines);
    assert_true(d->width > 0 && d->width < 2000 && d->height > 0 && d->height < 12000);
    for (size_t i = 0; i < d->boxes; i++) {
        const drawing_box *b = &d->box[i];
        if (!(b->x - b->width / 2 >= 0 && b->x + b->width / 2 <= d->width && b->y - b->height / 2 >= 0 &&
              b->y + b->height / 2 <= d->height && b->width > 0 && b->height > 0))
            fail_msg("%s: box %zu at %g %g, %g by %g", spec, i, b->x, b->y, b->width, b->height);
        for (size_t k = 0; k < i; k++) /* nothing lies on something else */
            if (fabs(d->box[k].y - b->y) < 1 && fabs(d->box[k].x - b->x) < (d->box[k].width + b->width) / 2)
                fail_msg("%s: boxes %zu and %zu overlap", spec, i, k);
    }
    for (size_t i = 0; i < d->lines; i++)
        for (int k = 0; k < 2; k++)
            assert_true(d->line[i].x[k] >= 0 && d->line[i].x[k] <= d->width && d->line[i].y[k] >= 0 &&
                        d->line[i].y[k] <= d->height);
}

/* A chain of five switches with a branch at the third: rows are distances from the middle, the third; hosts
 * are one box below their switch, as wide as the labels need. */
static void test_irregular(void **state) {
    (void)state;
    static const char *const lines[] = {
        "S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",   "S5 lid 5",  "S6 lid 6",  "H1 lid 11",
        "H2 lid 12", "H3 lid 13", "H4 lid 14", "H5 lid 15",  "H6 lid 16", "H7 lid 17", "S1:1 S2:1",
        "S2:2 S3:1", "S3:2 S4:1", "S4:2 S5:1", "S3:3 S6:1",  "H1:1 S1:9", "H2:1 S2:9", "H3:1 S3:9",
        "H4:1 S4:9", "H5:1 S5:9", "H6:1 S6:9", "H7:1 S6:10", NULL};
    static const char *const name[] = {"S3", "S2", "S4", "S6", "S1", "S5"};
    static const unsigned row[] = {5, 3, 3, 3, 1, 1};
    bough_net *net = fabric_net(lines, NULL);
    drawing d = draw(net, NULL);
    assert_true(d.depths);
    assert_int_equal(d.boxes, 12);
    assert_int_equal(d.rows, 6);
    double x[6] = {0};
    for (int i = 0; i < 6; i++)
        for (size_t b = 0; b < d.boxes; b++) {
            char text[64];
            if (strcmp(bough_node_name(net, d.box[b].node, text, sizeof text), name[i]) != 0) continue;
            assert_int_equal(d.box[b].row, row[i]);
            assert_true(d.box[b].fits && !d.box[b].upright);
            x[i] = d.box[b].x;
        }
    for (size_t b = 0; b < d.boxes; b++)
        if (d.box[b].kind == DRAWING_HOST && d.box[b].count == 2) assert_true(fabs(d.box[b].x - x[3]) < 1e-9);
    assert_true(x[1] < x[2] && x[2] < x[3]); /* S2, S4, S6 below S3 */
    assert_true(x[4] < x[5]);
    for (size_t a = 0; a < d.boxes; a++)
        for (size_t b = 0; b < a; b++)
            if (d.box[a].row == d.box[b].row)
                assert_true(fabs(d.box[a].x - d.box[b].x) >= (d.box[a].width + d.box[b].width) / 2);
    drawing_fini(&d);
    bough_net_destroy(net);
}
static void test_any_size(void **state) {
    (void)state;
    static const char *const spec[] = {
        "fattree:n=2",
        "fattree:n=128",
        "fattree:n=256",
        "fattree:n=4096",
        "fattree:n=2^20",
        "fattree:n=2^40",
        "bft:n=64",
        "bft:n=1024",
        "bft:n=2^30",
        "pruned:n=64",
        "pruned:n=4096",
        "pruned:n=2^30",
        "sorting:n=256",
        "sorting:n=65536",
        "transit:n=64",
        "transit:n=4096",
        "transit:n=262144",
        "transit:flat=64",
        "transit:leaf=12,stages=1",
        "kary:k=4,levels=5",
        "xgft:down=300,up=1",
        "xgft:down=16x16x16x16,up=1x16x16x16",
        "clos:radix=64,hosts=8192,taper=2",
        "mesh:dims=512",
        "mesh:dims=2x256",
        "torus:dims=32x16",
        "torus:dims=8x8x8",
        "mesh:dims=4x4x4x4",
        "mesh:dims=2x2x2x2x2x2",
        "torus:dims=1000x1000",
    };
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        bough_net *net = net_make(spec[i]);
        drawing d = draw(net, NULL);
        check_page(&d, spec[i]);
        if (d.counted) { /* every node is in one box */
            uint64_t nodes = 0;
            for (size_t b = 0; b < d.boxes; b++) nodes += d.box[b].count;
            assert_int_equal(nodes, net->nodes);
        }
        char *svg = svg_of(&d);
        assert_true(strlen(svg) < 1200000);
        free(svg);
        drawing_fini(&d);
        bough_net_destroy(net);
    }
}

/* Where a drawing can be enlarged, only hosts are merged; positions are within the area, and slots do not
 * overlap. */
static void test_zoomable(void **state) {
    (void)state;
    static const char *const spec[] = {"fattree:n=16",       "fattree:n=128",
                                       "fattree:n=256",      "fattree:n=512",
                                       "xgft:down=300,up=1", "xgft:down=32x32x4,up=1x32x4",
                                       "kary:k=4,levels=5"};
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        bough_net *net = net_make(spec[i]);
        drawing d;
        bough_error error;
        assert_int_equal(drawing_make(net, &(drawing_options){.limits = &drawing_zoomable}, &d, &error),
                         BOUGH_OK);
        bool merged = net->endpoints > drawing_zoomable.hosts;
        assert_int_equal(*d.merged != 0, merged);
        for (uint64_t v = 0; v < net->nodes; v++) {
            const drawing_box *b = &d.box[d.box_of[v]];
            assert_int_equal(b->row, net->ops->node_level(net, v));
            if (v >= net->endpoints || !merged) assert_true(b->count == 1 && b->node == v);
        }
        for (size_t b = 0; b < d.boxes; b++) {
            assert_true(d.box[b].x > d.left && d.box[b].x < d.right);
            for (size_t k = 0; k < b; k++)
                if (d.box[k].row == d.box[b].row)
                    assert_true(fabs(d.box[k].x - d.box[b].x) >= (d.box[k].slot + d.box[b].slot) / 2 - 1e-6);
        }
        drawing_fini(&d);
        bough_net_destroy(net);
    }
}

/* ---- what is marked ---- */

static void test_loads(void **state) {
    (void)state;
    char *path = data_path("example:cluster.ibnetdiscover"),
         *table = data_path("example:cluster.ftree.lfts.gz");
    char *spec = spec_of("ibnet", path), *lft = spec_of("lft", table);
    bough_net *net = net_make(spec);
    bough_routing *r = routing_make(net, lft);
    drawing d = draw(net, r);
    bough_check_result c;
    bough_findings findings = {0};
    bough_error error;
    assert_int_equal(bough_check_routing(r, &(bough_check_options){.memory = &memory, .threads = 1}, &c,
                                         &findings, &error),
                     0);
    assert_true(d.load_max == c.alltoall_max);
    size_t hot = 0;
    for (size_t i = 0; i < d.lines; i++) {
        assert_true(d.line[i].bin <= DRAWING_BINS);
        hot += d.line[i].hot;
        if (d.line[i].hot) assert_int_equal(d.line[i].most_loaded, c.alltoall_link);
    }
    assert_int_equal(hot, 1);
    arena_fini(&memory);
    bough_findings_fini(&findings);
    drawing_fini(&d);
    bough_routing_destroy(r);
    bough_net_destroy(net);
    free(path), free(table), free(spec), free(lft);
    /* Where all links are alike none stands out. */
    net = net_make("cube:n=16");
    r = routing_make(net, "bitfix");
    d = draw(net, r);
    for (size_t i = 0; i < d.lines; i++) assert_true(!d.line[i].hot && d.line[i].bin == DRAWING_BINS);
    drawing_fini(&d);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* Three flows cross the slow cable each way, and each takes four times as long as on the cable of a host; H4
 * sends and receives three. */
static void a_slow_cable_stands_out(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 11",       "H2 lid 12",
                                        "H3 lid 13", "H4 lid 14", "H1:1 S1:1",       "H2:1 S1:2",
                                        "H3:1 S1:3", "H4:1 S2:1", "S1:9 S2:9 4xSDR", NULL};
    bough_net *net = fabric_net(lines, NULL);
    bough_routing *r = routing_make(net, "minhop");
    drawing d = draw(net, r);
    assert_true(d.load_max == 12);
    for (size_t i = 0; i < d.lines; i++)
        if (d.line[i].hot) assert_true(d.line[i].load[0] == 12 && d.line[i].load[1] == 12);
    assert_non_null(strstr(d.caption, "at most 12 on a link; flows count as at 32 Gb/s"));
    drawing_fini(&d);
    /* beside a drawing with twice its load it has colours of the lower half */
    bough_error error;
    assert_int_equal(drawing_make(net, &(drawing_options){.routing = r, .scale = 24}, &d, &error), BOUGH_OK);
    assert_true(d.load_max == 12 && d.load_scale == 24);
    for (size_t i = 0; i < d.lines; i++) assert_true(d.line[i].bin <= (DRAWING_BINS + 1) / 2);
    drawing_fini(&d);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* What names of switches have in common is left out, what tells them apart is not: also where names are long.
 */
static void test_labels(void **state) {
    (void)state;
    static const char *const data[] = {"example:cluster.ibnetdiscover", "fabrics/psmn-x5.ibnetdiscover"};
    for (int f = 0; f < 2; f++) {
        char *path = data_path(data[f]);
        if (!path) continue;
        char *spec = spec_of("ibnet", path);
        bough_net *net = net_make(spec);
        drawing d = draw(net, NULL);
        for (size_t i = 0; i < d.boxes; i++) {
            if (d.box[i].kind != DRAWING_SWITCH) continue;
            assert_true(*d.box[i].label);
            if (f == 0) assert_non_null(strstr(d.box[i].label, d.box[i].level == 1 ? "-leaf" : "-spine"));
            if (f == 0) assert_null(strchr(d.box[i].label, ';'));
            for (size_t k = 0; k < i; k++)
                if (d.box[k].kind == DRAWING_SWITCH) assert_string_not_equal(d.box[i].label, d.box[k].label);
        }
        drawing_fini(&d);
        bough_net_destroy(net);
        free(path), free(spec);
    }
}

static void test_faults(void **state) {
    (void)state;
    bough_net *whole = net_make("xgft:down=4x4x2,up=1x4x4,links=1x2x1"), *net;
    bough_error error;
    if (bough_net_with_faults(whole, "chips:share=10%+cables:share=5%", &net, &error))
        fail_msg("%s", error.reason);
    drawing d = draw(net, NULL);
    assert_true(d.faults);
    uint64_t dead = 0, drawn = 0, chips = 0;
    for (uint64_t l = 0; l < net->links; l++) dead += !bough_link_alive(net, l);
    for (size_t i = 0; i < d.lines; i++) {
        drawn += d.line[i].dead;
        assert_int_equal(d.line[i].whole, d.line[i].dead == d.line[i].links[0] + d.line[i].links[1]);
    }
    for (size_t i = 0; i < d.boxes; i++) chips += d.box[i].dead;
    assert_int_equal(drawn, dead);
    assert_true(chips >= net->faults->switches && chips > 0);
    char *svg = svg_of(&d);
    assert_non_null(strstr(svg, "dead, or partly dead"));
    free(svg);
    drawing_fini(&d);
    bough_net_destroy(net);
    drawing plain = draw(whole, NULL);
    assert_false(plain.faults);
    drawing_fini(&plain);
    bough_net_destroy(whole);
}

/* ---- SVG ---- */

/* Tags close in the order in which they open, and nothing else than entities has an ampersand. */
static void check_xml(const char *text) {
    char open[32][16];
    int depth = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '&')
            assert_true(!strncmp(c, "&amp;", 5) || !strncmp(c, "&lt;", 4) || !strncmp(c, "&gt;", 4) ||
                        !strncmp(c, "&quot;", 6));
        if (*c != '<') continue;
        char name[16];
        const char *end = strchr(c, '>');
        assert_non_null(end);
        assert_int_equal(sscanf(c + 1 + (c[1] == '/'), "%15[a-z]", name), 1);
        if (c[1] == '/')
            assert_string_equal(open[--depth], name);
        else if (end[-1] != '/')
            strcpy(open[depth++], name);
        assert_true(depth >= 0 && depth < 32);
        c = end;
    }
    assert_int_equal(depth, 0);
}

static void test_svg(void **state) {
    (void)state;
    static const char *const spec[] = {"fattree:n=16", "cube:n=16", "transit:n=64", "sorting:n=256"};
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        bough_net *net = net_make(spec[i]);
        bough_routing *r = routing_make(net, NULL);
        drawing a = draw(net, r), b = draw(net, r);
        char *first = svg_of(&a), *again = svg_of(&b);
        check_xml(first);
        assert_string_equal(first, again);
        assert_null(strstr(first, "nan"));
        assert_null(strstr(first, "inf"));
        free(first), free(again);
        drawing_fini(&a);
        drawing_fini(&b);
        bough_routing_destroy(r);
        bough_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(wrong_marks_are_refused),
        cmocka_unit_test(marks_are_those_of_the_part),
        cmocka_unit_test(sorters_that_are_not_drawn),
        cmocka_unit_test(the_sorter_of_figure_4),
        cmocka_unit_test(test_figure_1),
        cmocka_unit_test(test_few_crossings),
        cmocka_unit_test(test_cube),
        cmocka_unit_test(a_mesh_is_a_grid),
        cmocka_unit_test(rings_bow),
        cmocka_unit_test(test_irregular),
        cmocka_unit_test(test_any_size),
        cmocka_unit_test(test_zoomable),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(a_slow_cable_stands_out),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_svg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
