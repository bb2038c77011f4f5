/* A layout to scale as SVG: one group per cell, used twice by the cell of the next step, so files are small.
 * Colours represent levels. Coordinates are quarters of a pitch; y points up as in the layout, and the
 * picture is flipped. */
#include "base/memory/memory.h"
#include "base/text/escape.h"
#include "network/export/network_exports.h"
#include "network/layout/layout.h"

#include <inttypes.h>
#include <math.h>

#define SEEN_MAX   (UINT64_C(1) << 21) /* maximum number of rectangles that a viewer must draw */
#define PICTURE    1000.0              /* width of the picture in units */
#define LEVELS_MAX 64

/* Colour scale from the leaves to the root. */
static void put_colour(bough_text *out, unsigned level, unsigned levels) {
    static const int ramp[6][3] = {{70, 60, 150}, {30, 110, 190}, {0, 150, 140},
                                   {90, 160, 40}, {215, 140, 0},  {200, 40, 40}};
    double at = levels > 1 ? 5.0 * level / (levels - 1) : 0;
    unsigned i = at >= 5 ? 4 : (unsigned)at;
    double part = at - i;
    bough_text_put(out, "#");
    for (unsigned c = 0; c < 3; c++)
        bough_text_printf(out, "%02x", (unsigned)lround(ramp[i][c] + part * (ramp[i + 1][c] - ramp[i][c])));
}

typedef struct picture {
    const bough_layout *layout;
    const bough_net *net;
    bough_text *out;
    int32_t unit; /* nm */
} picture;

static void put_rectangle(const picture *p, bough_layout_shape s) {
    int32_t u = p->unit;
    bough_text_printf(p->out, "M%d %dh%dv%dh%dz", s.x0 / u, s.y0 / u, (s.x1 - s.x0) / u, (s.y1 - s.y0) / u,
                      -(s.x1 - s.x0) / u);
}

static bool is_metal(uint8_t layer) {
    return layer == BOUGH_LAYER_HORIZONTAL || layer == BOUGH_LAYER_VERTICAL;
}

/* One path for the wires of a level. */
static void put_wires(const picture *p, const bough_layout_cell *cell) {
    bool level[LEVELS_MAX] = {false};
    for (size_t i = 0; i < cell->shapes; i++)
        if (is_metal(cell->shape[i].layer)) level[cell->shape[i].level] = true;
    for (unsigned l = 0; l < LEVELS_MAX; l++) {
        if (!level[l]) continue;
        bough_text_printf(p->out, "<path class=\"w%u\" d=\"", l);
        for (size_t i = 0; i < cell->shapes; i++)
            if (is_metal(cell->shape[i].layer) && cell->shape[i].level == l) put_rectangle(p, cell->shape[i]);
        bough_text_put(p->out, "\"/>\n");
    }
}

/* A box cell is one rectangle; an array of boxes becomes one path. */
static void put_boxes(const picture *p, const bough_layout_place *place) {
    const bough_layout_cell *box = &p->layout->cell[place->cell];
    static const char *const name[] = {"", "t", "s", "f"};
    bough_text_printf(p->out, "<path class=\"%s\" d=\"", name[box->shape[0].layer]);
    for (uint32_t c = 0; c < place->columns; c++)
        for (uint32_t r = 0; r < place->rows; r++)
            put_rectangle(p, bough_layout_placed(place, c, r, box->shape[0]));
    bough_text_put(p->out, "\"/>\n");
}

static void put_place(const picture *p, const bough_layout_place *place) {
    const bough_layout_cell *cell = &p->layout->cell[place->cell];
    if (cell->places == 0) {
        put_boxes(p, place);
        return;
    }
    bough_text_printf(p->out, "<use href=\"#c%u\" transform=\"translate(%d %d) rotate(%d)%s\"/>\n",
                      place->cell, place->x / p->unit, place->y / p->unit, 90 * place->turn,
                      place->mirror ? " scale(1 -1)" : "");
}

static void put_cell(const picture *p, uint32_t number) {
    const bough_layout_cell *cell = &p->layout->cell[number];
    if (cell->places == 0) return;
    bough_text_printf(p->out, "<g id=\"c%u\">\n", number);
    for (size_t i = 0; i < cell->places; i++) put_place(p, &cell->place[i]);
    put_wires(p, cell);
    bough_text_put(p->out, "</g>\n");
}

/* ---- the frame ---- */

static double um(uint64_t nm) {
    return (double)nm * 1e-3;
}

/* A round length near a fifth of the width: 1, 2 or 5 times a power of ten, in nm. */
static double scale_bar(double width_nm) {
    double power = pow(10, floor(log10(width_nm / 5)));
    double times = width_nm / 5 / power;
    return power * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}

static void put_legend(const picture *p, double top, double scale) {
    const bough_layout_size *size = &p->layout->size;
    const bough_layout_step *whole = &size->step[size->steps];
    double bar = scale_bar((double)whole->width_nm);
    bough_text_printf(p->out, "<g font-family=\"sans-serif\" font-size=\"16\">\n<text x=\"0\" y=\"%.0f\">",
                      top + 26);
    bough_text_put_xml(p->out, p->net->spec);
    bough_text_printf(p->out, ": %.6g x %.6g um, wires %.6g um apart</text>\n", um(whole->width_nm),
                      um(whole->height_nm), um(size->rules.pitch_nm));
    bough_text_printf(p->out,
                      "<path d=\"M%.1f %.0fh%.1fv5h%.1fz\"/><text x=\"%.0f\" y=\"%.0f\" "
                      "text-anchor=\"end\">%.6g um</text>\n",
                      PICTURE - bar * scale, top + 24, bar * scale, -bar * scale, PICTURE - bar * scale - 8,
                      top + 30, bar * 1e-3);
    double x = 0, y = top + 56;
    bough_text_printf(p->out, "<text x=\"%.0f\" y=\"%.0f\">wires up from level</text>\n", x, y);
    x += 160;
    for (unsigned i = 0; i < size->steps; i++) {
        const bough_layout_step *s = &size->step[i];
        bool last = size->step[i + 1].level != s->level || !size->step[i + 1].joins;
        if ((i && !s->joins) || !last || s->level == p->net->levels) continue;
        if (x > PICTURE - 90) x = 160, y += 26;
        bough_text_printf(p->out,
                          "<rect class=\"w%u\" x=\"%.0f\" y=\"%.0f\" width=\"14\" height=\"14\"/>"
                          "<text x=\"%.0f\" y=\"%.0f\">%u: %" PRIu64 "</text>\n",
                          s->level, x, y - 13, x + 18, y, s->level, s->wires);
        x += 90;
    }
    bough_text_put(p->out, "</g>\n");
}

/* The number of rectangles after expanding all cells. */
static uint64_t seen(const bough_layout *layout) {
    uint64_t count[2 * BOUGH_LAYOUT_STEPS + 2];
    for (uint32_t c = 0; c < layout->cells; c++) {
        const bough_layout_cell *cell = &layout->cell[c];
        count[c] = cell->shapes;
        for (size_t i = 0; i < cell->places; i++)
            count[c] = bough_add(count[c], bough_mul((uint64_t)cell->place[i].columns * cell->place[i].rows,
                                                     count[cell->place[i].cell]));
    }
    return count[layout->cells - 1];
}

static void put_svg(const picture *p) {
    const bough_layout_size *size = &p->layout->size;
    const bough_layout_step *whole = &size->step[size->steps];
    double scale = PICTURE / (double)whole->width_nm, height = (double)whole->height_nm * scale;
    const unsigned levels = p->net->levels, lines = levels / 9;
    double legend = 70 + 26.0 * lines;
    bough_text_printf(p->out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-10 -10 %.0f %.0f\">\n<style>"
                      ".t{fill:#d8d8d8}.s{fill:#fff;stroke:#666;stroke-width:0.4}"
                      ".f{fill:#f3e9d2;stroke:#666;stroke-width:1}",
                      PICTURE + 20, height + legend + 20);
    for (unsigned l = 0; l < levels; l++) {
        bough_text_printf(p->out, ".w%u{fill:", l);
        put_colour(p->out, l, levels);
        bough_text_put(p->out, "}");
    }
    bough_text_put(
        p->out,
        "</style>\n<rect x=\"-10\" y=\"-10\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<defs>\n");
    for (uint32_t c = 0; c < p->layout->cells; c++) put_cell(p, c);
    bough_text_printf(p->out,
                      "</defs>\n<rect width=\"%.6g\" height=\"%.6g\" fill=\"#f8f8f8\"/>\n"
                      "<use href=\"#c%u\" transform=\"translate(0 %.6g) scale(%.6g %.6g)\"/>\n",
                      PICTURE, height, p->layout->cells - 1, height, scale * p->unit, -scale * p->unit);
    put_legend(p, height, scale);
    bough_text_put(p->out, "</svg>\n");
}

bough_status export_layout_svg(const bough_net *net, bough_text *out, bough_error *error) {
    bough_layout *layout;
    bough_status status = bough_layout_draw(net, NULL, &layout, error);
    if (status) return status;
    uint64_t rectangles = seen(layout);
    if (rectangles > SEEN_MAX)
        status = bough_fail(error, BOUGH_TOO_LARGE, NULL,
                            "%s: the picture has %" PRIu64 " rectangles; the limit is %" PRIu64
                            "; .gds has no limit",
                            net->spec, rectangles, SEEN_MAX);
    if (!status) {
        picture p = {layout, net, out, (int32_t)layout->size.rules.pitch_nm / 4};
        put_svg(&p);
        if (out->failed) status = bough_fail_memory(error, out->length);
    }
    bough_layout_destroy(layout);
    return status;
}
