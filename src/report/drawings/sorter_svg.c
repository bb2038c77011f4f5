/* From west to east: cells l/s .. 1 of each cycle, the stages of the Omega network, the sorting circuit, and
 * the wires of the words. Under the cells of a cycle runs the wire on which it turns; a switch in front of
 * cell 2^k closes the cycle there. A stage that joins cycles 2^k apart has 2^k columns of switches. */
#include "report/drawings/sorter_svg.h"

#include "network/families/sorting_shape.h"
#include "network/sorting_hardware/sorter.h"

#include <inttypes.h>

enum {
    LEFT = 30,
    TOP = 46,
    LINE = 24,   /* from cycle to cycle */
    CELL = 18,   /* width of a cell */
    STEP = 30,   /* from cell to cell */
    HEIGHT = 9,  /* of a cell */
    RETURN = 8,  /* of the wire below the cells */
    COLUMN = 7,  /* of switches */
    GAP = 12,    /* between stages */
    CIRCUIT = 70 /* width of the sorting circuit */
};

typedef struct picture {
    unsigned lines, lg_lines, cells;
    unsigned omega, circuit, end; /* where these parts begin */
} picture;

static unsigned y_of(unsigned line) {
    return TOP + line * LINE;
}

/* The west end of the cell with this label. */
static unsigned x_of(const picture *p, unsigned label) {
    return LEFT + (p->cells - label) * STEP;
}

static void put_line(bough_text *out, const char *class, const unsigned from[2], const unsigned to[2]) {
    bough_text_printf(out, "<path class=\"%s\" d=\"M%u %uL%u %u\"/>\n", class, from[0], from[1], to[0],
                      to[1]);
}

/* The wire through the cells and the sorting circuit, and the one on which words come back. */
static void put_cycle(bough_text *out, const picture *p, unsigned line) {
    unsigned y = y_of(line), back = y + RETURN, west = LEFT - 8;
    bough_text_printf(out, "<path class=\"w\" d=\"M%u %uH%uV%uH%u\"/>\n", p->circuit, back, west, y,
                      p->circuit);
    put_line(out, "w", (unsigned[]){p->circuit + CIRCUIT, y}, (unsigned[]){p->end, y});
    for (unsigned label = 1; label <= p->cells; label++) {
        unsigned x = x_of(p, label);
        bough_text_printf(out, "<rect class=\"c\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\"/>\n", x,
                          y - HEIGHT / 2, CELL, HEIGHT);
        if (label & (label - 1)) continue;
        put_line(out, "s", (unsigned[]){x - 6, y}, (unsigned[]){x - 6, back});
    }
}

static void put_switch(bough_text *out, unsigned x, unsigned upper, unsigned lower) {
    put_line(out, "o", (unsigned[]){x, y_of(upper)}, (unsigned[]){x, y_of(lower)});
    bough_text_printf(out, "<circle class=\"o\" cx=\"%u\" cy=\"%u\" r=\"2.5\"/>\n", x, y_of(upper));
    bough_text_printf(out, "<circle class=\"o\" cx=\"%u\" cy=\"%u\" r=\"2.5\"/>\n", x, y_of(lower));
}

static void put_omega(bough_text *out, const picture *p) {
    unsigned x = p->omega;
    for (unsigned stage = 0; stage < p->lg_lines; stage++) {
        unsigned apart = 1u << stage;
        for (unsigned line = 0; line < p->lines; line++)
            if (!(line & apart)) put_switch(out, x + (line & (apart - 1)) * COLUMN, line, line | apart);
        x += (apart - 1) * COLUMN + GAP;
    }
}

static void put_text(bough_text *out, unsigned x, unsigned y, const char *text) {
    bough_text_printf(out, "<text x=\"%u\" y=\"%u\">%s</text>\n", x, y, text);
}

static void put_labels(bough_text *out, const picture *p) {
    for (unsigned label = 1; label <= p->cells; label++)
        bough_text_printf(out, "<text class=\"l\" x=\"%u\" y=\"%d\">%u</text>\n", x_of(p, label) + CELL / 2,
                          TOP - 12, label);
    put_text(out, p->omega, TOP - 12, "Omega network");
    put_text(out, p->circuit, TOP - 12, "sorting circuit");
    bough_text_printf(out, "<rect class=\"k\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%u\"/>\n", p->circuit,
                      TOP - 7, CIRCUIT, (p->lines - 1) * LINE + RETURN + 14);
}

static picture picture_of(const bough_sorter *s) {
    picture p = {.lines = (unsigned)s->lines,
                 .lg_lines = (unsigned)__builtin_ctzll(s->lines),
                 .cells = (unsigned)(s->capacity / s->lines)};
    unsigned stages = (p.lines - 1 - p.lg_lines) * COLUMN + p.lg_lines * GAP;
    p.omega = LEFT + p.cells * STEP + GAP;
    if (stages < 90) stages = 90; /* room for the heading */
    p.circuit = p.omega + stages + GAP;
    p.end = p.circuit + CIRCUIT + 24;
    return p;
}

bough_status sorter_svg(const bough_net *net, bough_text *out, bough_error *error) {
    const sorting_shape *shape = sorting_shape_of(net);
    if (!shape)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "a .sorter.svg shows the sorter of a sorting fat-tree (sorting:n=...); %s is not one", net->spec);
    const bough_sorter sorter = bough_sorter_at(shape->n, 1, 1);
    if (sorter.lines > SORTER_SVG_LINES || sorter.capacity / sorter.lines > SORTER_SVG_CELLS)
        return bough_fail(
            error, BOUGH_TOO_LARGE, NULL,
            "the sorter of %s has %" PRIu64 " cycles of %" PRIu64 " cells; a drawing shows up to %d of %d",
            net->spec, sorter.lines, sorter.capacity / sorter.lines, SORTER_SVG_LINES, SORTER_SVG_CELLS);
    const picture p = picture_of(&sorter);
    unsigned width = p.end + 20, height = y_of(p.lines) + 28;
    bough_text_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u "
        "%u\">\n<title>Flexible sorter, s = %u, l = %" PRIu64 "</title>\n<style>\n"
        "text{font-family:sans-serif;font-size:10px;fill:#222}\n.l{text-anchor:middle;font-size:9px}\n"
        ".h{font-size:13px;font-weight:bold}\npath{fill:none;stroke:#555;stroke-width:0.9}\n"
        ".c{fill:#f4f6f8;stroke:#333}\n.s{stroke:#a50f15;stroke-width:1.6}\n"
        ".o{fill:#fff;stroke:#2b6ca3}\n.k{fill:#e9edf2;stroke:#333}\n</style>\n"
        "<rect width=\"%u\" height=\"%u\" fill=\"#fff\"/>\n",
        width, height, width, height, p.lines, sorter.capacity, width, height);
    bough_text_printf(out,
                      "<text class=\"h\" x=\"%d\" y=\"18\">%s: the sorter at the root, s = %u, l = %" PRIu64
                      "</text>\n",
                      LEFT, net->spec, p.lines, sorter.capacity);
    for (unsigned line = 0; line < p.lines; line++) put_cycle(out, &p, line);
    put_omega(out, &p);
    put_labels(out, &p);
    put_text(
        out, LEFT, height - 12,
        "A box is a cell of two words; red: switches that close a cycle there; two circles: a switch between "
        "two cycles.");
    bough_text_put(out, "</svg>\n");
    return out->failed ? bough_fail_memory(error, out->length) : BOUGH_OK;
}
