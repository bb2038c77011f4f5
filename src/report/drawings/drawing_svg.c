/* A drawing as SVG. Load is shown by colour and width, in five classes; hot lines also have a white dash and
 * their load next to them; dead parts are dashed grey with a cross. Neither requires colour vision. */
#include "method/quantity.h"
#include "report/drawings/drawing.h"

#include "base/text/escape.h"
#include "base/text/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEGEND = 20, NAME = 128 };

/* Light to dark and increasingly red, so that the order is visible in grey as well. */
static const struct {
    const char *colour;
    double width;
} bin[DRAWING_BINS + 1] = {
    {"#b0b0b0", 0.7}, {"#7fb3d3", 1}, {"#4393c3", 1.5}, {"#d6a02a", 2.2}, {"#d9601a", 3}, {"#a50f15", 4},
};

/* Tenths of a pixel, without trailing zero. */
static const char *px(double x, char *buffer) {
    snprintf(buffer, 24, "%.1f", x);
    size_t length = strlen(buffer);
    if (buffer[length - 1] == '0') buffer[length - 2] = 0;
    return strcmp(buffer, "-0") == 0 ? "0" : buffer;
}

typedef char number[24];

typedef struct rule {
    const char *selector, *declarations;
} rule;

static const rule rules[] = {
    {"text", "font-family:sans-serif;font-size:9px;fill:#222;text-anchor:middle"},
    {".b", "font-weight:bold;paint-order:stroke;stroke:#fff;stroke-width:3px"},
    {".h", "font-size:13px;font-weight:bold;text-anchor:start"},
    {".c", "font-size:10px;text-anchor:start"},
    {".n", "fill:#f4f6f8;stroke:#333;stroke-width:1"},
    {".e", "fill:#fff;stroke:#333;stroke-width:1"},
    {".f", "fill:#e9edf2;stroke:#8a95a3;stroke-width:0.8"},
    {".x", "fill:#fff;stroke:#666;stroke-width:1;stroke-dasharray:2 2"},
    {".d", "stroke:#777;stroke-width:1.2;stroke-dasharray:4 3"},
    {".k", "stroke:#000;stroke-width:1.6"},
    {".w", "stroke:#fff;stroke-width:1.4;stroke-dasharray:3 5"},
    {NULL, NULL},
};

static void put_style(bough_text *out, const drawing *d) {
    bough_text_put(out, "<style>\n");
    for (const rule *r = rules; r->selector; r++)
        bough_text_printf(out, "%s{%s}\n", r->selector, r->declarations);
    bough_text_printf(out, "path{fill:none;stroke:#555;stroke-width:%.2g}\n", 0.9 * d->thin);
    for (int b = 0; b <= DRAWING_BINS && d->loads; b++)
        bough_text_printf(out, ".l%d{stroke:%s;stroke-width:%.2g}\n", b, bin[b].colour,
                          bin[b].width * d->thin);
    bough_text_put(out, ".t{stroke:#a50f15;stroke-width:4}\n");
    if (d->marks)
        bough_text_put(out, ".m{stroke:#a50f15;stroke-width:2.4}\n.g{fill:#fbe6dd;stroke:#a50f15}\n");
    bough_text_put(out, "</style>\n");
}

static void box_title(bough_text *out, const drawing *d, const drawing_box *b) {
    char name[NAME];
    bough_node_name(d->net, b->node, name, sizeof name);
    if (b->count == 1) {
        bough_text_printf(out, "%s, level %u%s", name, b->level, b->dead ? ", dead" : "");
        return;
    }
    const char *what = b->kind == DRAWING_HOST ? "endpoints" : b->kind == DRAWING_BOTH ? "nodes" : "switches";
    if (b->count)
        bough_text_printf(out, "%" PRIu64 " %s, from level %u up, the first %s", b->count, what, b->level,
                          name);
    else
        bough_text_printf(out, "%s from level %u up, %s among them", what, b->level, name);
    if (b->dead) bough_text_printf(out, "; %" PRIu64 " of them dead", b->dead);
    char load[QUANTITY_TEXT];
    if (b->load > 0)
        bough_text_printf(out, "; flows on the most loaded link among them: %s",
                          quantity_format(b->load, 0, load));
}

static void line_title(bough_text *out, const drawing *d, const drawing_line *l) {
    char name[2 * NAME + 16];
    bough_text_printf(out, "%s to ", bough_node_name(d->net, d->box[l->from].node, name, NAME));
    bough_text_put(out, bough_node_name(d->net, d->box[l->to].node, name, NAME));
    if (l->links[0] + l->links[1] == 1)
        bough_text_put(out, l->links[0] ? ", one way" : ", back only");
    else if (l->links[0] > 1 || l->links[1] > 1)
        bough_text_printf(out, ": %" PRIu64 " links there, %" PRIu64 " back", l->links[0], l->links[1]);
    if (l->dead) bough_text_printf(out, ", %" PRIu64 " of them dead", l->dead);
    if (!d->loads) return;
    char there[QUANTITY_TEXT], back[QUANTITY_TEXT];
    bough_text_printf(out, "; maximum link load: %s there, %s back", quantity_format(l->load[0], 0, there),
                      quantity_format(l->load[1], 0, back));
    if (l->most_loaded != BOUGH_NONE && l->links[0] + l->links[1] > 2)
        bough_text_printf(out, " (%s)", bough_link_name(d->net, l->most_loaded, name, sizeof name));
}

static void put_titled(bough_text *out, bough_text *title, const char *close) {
    bough_text_put(out, "><title>");
    if (title->data) bough_text_put_xml(out, title->data);
    bough_text_printf(out, "</title></%s>\n", close);
    out->failed |= title->failed;
    bough_text_fini(title);
}

static void put_path(bough_text *out, const drawing_line *l, const char *class, bough_text *title) {
    number a, b, c, e, f, g;
    bough_text_put(out, "<path");
    if (*class) bough_text_printf(out, " class=\"%s\"", class);
    bough_text_printf(out, " d=\"M%s %s", px(l->x[0], a), px(l->y[0], b));
    if (l->bend > 0)
        bough_text_printf(out, "Q%s %s", px((l->x[0] + l->x[1]) / 2, c),
                          px(fmin(l->y[0], l->y[1]) - l->bend, e));
    else
        bough_text_put(out, "L");
    bough_text_printf(out, "%s%s %s\"", l->bend > 0 ? " " : "", px(l->x[1], f), px(l->y[1], g));
    if (title)
        put_titled(out, title, "path");
    else
        bough_text_put(out, "/>\n");
}

static void put_cross(bough_text *out, double x, double y, double size) {
    number a, b, c;
    bough_text_printf(out, "<path class=\"k\" d=\"M%s %sl%s", px(x - size, a), px(y - size, b),
                      px(2 * size, c));
    bough_text_printf(out, " %sm%s 0l%s %s\"/>\n", px(2 * size, a), px(-2 * size, b), px(2 * size, c),
                      px(-2 * size, b));
}

static void put_line(bough_text *out, const drawing *d, const drawing_line *l) {
    char class[8] = "";
    number a, b;
    bough_text title = {0};
    double x = (l->x[0] + l->x[1]) / 2, y = (l->y[0] + l->y[1]) / 2 - l->bend / 2;
    if (d->loads) snprintf(class, sizeof class, "l%u", l->bin);
    line_title(&title, d, l);
    put_path(out, l, l->whole ? "d" : l->hot ? "t" : l->marked ? "m" : class, &title);
    if (l->hot) {
        char text[QUANTITY_TEXT];
        double load = l->load[0] > l->load[1] ? l->load[0] : l->load[1];
        put_path(out, l, "w", NULL);
        bough_text_printf(out, "<text x=\"%s\" y=\"%s\" class=\"b\">%s</text>\n",
                          px(x + 0.06 * (l->x[1] - l->x[0]) + 9, a), px(y + 0.06 * (l->y[1] - l->y[0]), b),
                          quantity_format(load, 0, text));
    }
    if (l->dead) put_cross(out, x, y, 3);
}

static void put_box(bough_text *out, const drawing *d, const drawing_box *b) {
    number x, y, w, h;
    bough_text title = {0};
    box_title(&title, d, b);
    bool dead = b->dead && (b->dead == b->count || !b->count);
    const char *class = dead ? "x" : b->marked ? "g" : b->kind == DRAWING_SWITCH ? "n" : "e";
    if (b->kind != DRAWING_SWITCH && b->count == 1) {
        bough_text_printf(out, "<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\"%s\"", class, px(b->x, x),
                          px(b->y, y), px(b->width / 2, w));
        put_titled(out, &title, "circle");
    } else {
        bough_text_printf(out, "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"%s", class,
                          px(b->x - b->width / 2, x), px(b->y - b->height / 2, y), px(b->width, w),
                          px(b->height, h), b->kind == DRAWING_SWITCH ? "" : " rx=\"6\"");
        put_titled(out, &title, "rect");
    }
    if (b->dead) put_cross(out, b->x - b->width / 2, b->y - b->height / 2, 4);
    if (!b->fits || !b->label[0]) return;
    if (b->upright)
        bough_text_printf(out, "<text transform=\"translate(%s %s)rotate(-90)\">", px(b->x + 3.2, x),
                          px(b->y, y));
    else
        bough_text_printf(out, "<text x=\"%s\" y=\"%s\">", px(b->x, x), px(b->y + 3.2, y));
    bough_text_put_xml(out, b->label);
    bough_text_put(out, "</text>\n");
}

static void put_sample(bough_text *out, const char *class, double x, double y) {
    number a, b;
    bough_text_printf(out, "<path class=\"%s\" d=\"M%s %sh22\"/>\n", class, px(x, a), px(y - 3, b));
}

static void put_sample_text(bough_text *out, const char *text, double x, double y) {
    number a, b;
    bough_text_printf(out, "<text class=\"c\" x=\"%s\" y=\"%s\">%s</text>\n", px(x + 26, a), px(y, b), text);
}

/* Samples of the line styles; returns the position of the next line of the page. */
static double put_legend(bough_text *out, const drawing *d, double y) {
    double x = LEGEND;
    bool loads = d->loads && d->load_max > 0, hot = false;
    for (unsigned k = 1; k <= DRAWING_BINS && loads; k++, x += 80) {
        char class[8], text[32];
        double top = d->load_scale * k / DRAWING_BINS;
        snprintf(class, sizeof class, "l%u", k);
        snprintf(text, sizeof text, "to %.*f", top < 10 ? 2 : top < 100 ? 1 : 0, top);
        put_sample(out, class, x, y);
        put_sample_text(out, text, x, y);
    }
    if (loads) y += 15, x = LEGEND;
    for (size_t i = 0; i < d->lines; i++) hot |= d->line[i].hot;
    if (hot) {
        put_sample(out, "t", x, y);
        put_sample(out, "w", x, y);
        put_sample_text(out, "most loaded", x, y);
        x += 110;
    }
    if (d->faults) {
        put_sample(out, "d", x, y);
        put_cross(out, x + 11, y - 3, 3);
        put_sample_text(out, "dead, or partly dead", x, y);
        x += 110;
    }
    return x > LEGEND ? y + 15 : y;
}

/* Wraps text at blanks; returns the position of the next line of the page. */
static double put_caption(bough_text *out, const char *text, double width, double y) {
    size_t most = (size_t)fmax((width - 2 * LEGEND) / 5.1, 30);
    number b;
    char line[512];
    while (*text) {
        size_t length = strlen(text);
        if (length > most) {
            length = most < sizeof line ? most : sizeof line - 1;
            while (length > 0 && text[length] != ' ') length--;
            if (length == 0) length = strcspn(text, " ");
        }
        if (length >= sizeof line) length = bough_utf8_whole(text, sizeof line - 1);
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        bough_text_printf(out, "<text class=\"c\" x=\"%d\" y=\"%s\">", LEGEND, px(y, b));
        bough_text_put_xml(out, line);
        bough_text_put(out, "</text>\n");
        text += length;
        while (*text == ' ') text++;
        y += 14;
    }
    return y;
}

/* class: of the element; "": none. */
static void put_size(bough_text *out, const drawing *d, double height, const char *class) {
    number a, b, w, h;
    bough_text_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\"%s width=\"%s\" height=\"%s\" viewBox=\"0 0 %s "
        "%s\">\n<title>",
        class, px(d->width, a), px(height, b), px(d->width, w), px(height, h));
}

static void put_frames(bough_text *out, const drawing *d) {
    number a, b, w, h;
    for (size_t i = 0; i < d->frames; i++) {
        const drawing_frame *f = &d->frame[i];
        bough_text_printf(out, "<rect class=\"f\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"4\"/>\n",
                          px(f->x, a), px(f->y, b), px(f->width, w), px(f->height, h));
    }
}

static bool is_on_top(const drawing_line *l) {
    return l->dead || l->hot || l->marked;
}

/* Lines with high load, dead and marked ones are drawn last, on top. */
static void put_network(bough_text *out, const drawing *d) {
    put_frames(out, d);
    for (unsigned k = 0; k <= DRAWING_BINS + 1; k++)
        for (size_t i = 0; i < d->lines; i++)
            if ((is_on_top(&d->line[i]) ? DRAWING_BINS + 1 : d->line[i].bin) == k)
                put_line(out, d, &d->line[i]);
    for (size_t i = 0; i < d->boxes; i++) put_box(out, d, &d->box[i]);
}

bough_status drawing_svg(const drawing *d, bough_text *out, bough_error *error) {
    bough_text body = {0};
    number a, b;
    double y = put_legend(&body, d, d->height);
    y = put_caption(&body, d->caption, d->width, y);
    put_size(out, d, y, "");
    bough_text_put_xml(out, d->heading);
    bough_text_put(out, "</title>\n<desc>");
    bough_text_put_xml(out, d->caption);
    bough_text_put(out, "</desc>\n");
    put_style(out, d);
    bough_text_printf(out, "<rect width=\"%s\" height=\"%s\" fill=\"#fff\"/>\n", px(d->width, a), px(y, b));
    bough_text_printf(out, "<text class=\"h\" x=\"%d\" y=\"18\">", LEGEND);
    bough_text_put_xml(out, d->heading);
    bough_text_put(out, "</text>\n");
    put_network(out, d);
    bough_text_join(out, &body);
    bough_text_put(out, "</svg>\n");
    return out->failed ? bough_fail_memory(error, out->length) : BOUGH_OK;
}

bough_status drawing_svg_inline(const drawing *d, bough_text *out, bough_error *error) {
    bough_text legend = {0};
    double height = put_legend(&legend, d, d->height);
    put_size(out, d, height, d->thin < 0.75 ? " class=\"dense\"" : "");
    bough_text_put(out, "The network by levels</title>\n");
    put_network(out, d);
    bough_text_join(out, &legend);
    bough_text_put(out, "</svg>\n");
    return out->failed ? bough_fail_memory(error, out->length) : BOUGH_OK;
}
