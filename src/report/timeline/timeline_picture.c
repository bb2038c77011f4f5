/* The picture of ranks over time: a row for each rank or group of ranks, of cells that show what took most of
 * the time in them; above them the critical path. Equal neighbours are one stroke. */
#include "base/memory/memory.h"
#include "document/html.h"
#include "report/timeline/timeline_document.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS_MAX = 64, COLUMNS = 640, LEFT = 110, HIGH = 11, TOP = 30, BOTTOM = 24 };
enum { COMPUTE, OVERHEAD, WAIT, KINDS, IDLE = KINDS };

/* The classes of critical_cause, and of kinds: computation and CPU time look alike in both. */
static const int colour_of_cause[] = {0, 1, 2, 3}, colour_of_kind[] = {0, 1, 5};

typedef struct picture {
    html_writer *h;
    const recorded_trial *trial;
    uint64_t end;
    uint32_t group, rows; /* ranks of a row */
    double cell[COLUMNS][KINDS];
    double *rank; /* [COLUMNS][KINDS] of one rank */
} picture;

static void add(picture *p, uint64_t from, uint64_t to, unsigned kind) {
    const double width = (double)p->end / COLUMNS;
    for (unsigned c = (unsigned)((double)from / width); c < COLUMNS && c * width < (double)to; c++) {
        double a = c * width > (double)from ? c * width : (double)from,
               b = (c + 1) * width < (double)to ? (c + 1) * width : (double)to;
        if (b > a) p->rank[c * KINDS + kind] += (b - a) / width;
    }
}

static void add_own(picture *p, uint32_t op) {
    const timeline_op *o = &p->trial->t->op[op];
    bool calc = p->trial->s->op[op].kind == BOUGH_OP_CALC;
    if (o->free != BOUGH_NONE) add(p, o->start, o->free, calc ? COMPUTE : OVERHEAD);
    if (!calc && o->start != BOUGH_NONE) add(p, o->start, o->end < p->end ? o->end : p->end, WAIT);
}

/* A rank waits where a send or receive has started and not ended, and its CPUs are idle. */
static void add_rank(picture *p) {
    for (unsigned c = 0; c < COLUMNS; c++) {
        double *k = &p->rank[c * KINDS], busy = k[COMPUTE] + k[OVERHEAD], wait = k[WAIT] < 1 ? k[WAIT] : 1;
        k[WAIT] = wait + busy > 1 ? (busy < 1 ? 1 - busy : 0) : wait;
        for (unsigned i = 0; i < KINDS; i++) {
            p->cell[c][i] += k[i];
            k[i] = 0;
        }
    }
}

static unsigned kind_of(const picture *p, unsigned column) {
    const double *k = p->cell[column], idle = p->group - k[COMPUTE] - k[OVERHEAD] - k[WAIT];
    unsigned best = IDLE;
    double most = idle;
    for (unsigned i = 0; i < KINDS; i++)
        if (k[i] > most) most = k[i], best = i;
    return best;
}

static void put_row(picture *p, uint32_t row) {
    bough_text *out = &p->h->out;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        bool some = false;
        for (unsigned c = 0, next; c < COLUMNS; c = next) {
            for (next = c + 1; next < COLUMNS && kind_of(p, next) == kind_of(p, c);) next++;
            if (kind_of(p, c) != kind) continue;
            if (!some)
                bough_text_printf(out, "<path class=\"line%d%s\" d=\"", colour_of_kind[kind],
                                  kind == WAIT ? " faint" : "");
            some = true;
            bough_text_printf(out, "M%u %uh%u", LEFT + c, TOP + row * HIGH + HIGH / 2, next - c);
        }
        if (some) bough_text_put(out, "\"/>\n");
    }
}

/* The receiver handles messages of other ranks, so their times are found from its receives. */
static void fill_row(picture *p, uint32_t row) {
    const bough_schedule *s = p->trial->s;
    const timeline *t = p->trial->t;
    for (unsigned c = 0; c < COLUMNS; c++)
        for (unsigned i = 0; i < KINDS; i++) p->cell[c][i] = 0;
    uint32_t first = row * p->group, end = first + p->group < s->ranks ? first + p->group : s->ranks;
    for (uint32_t r = first; r < end; r++) {
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) {
            add_own(p, o);
            const timeline_op *message = t->op[o].partner == TIMELINE_NONE ? NULL : &t->op[t->op[o].partner];
            if (s->op[o].kind == BOUGH_OP_RECV && message && message->taken != BOUGH_NONE)
                add(p, message->taken, message->done, OVERHEAD);
        }
        add_rank(p);
    }
}

static void put_label(picture *p, uint32_t row) {
    uint32_t first = row * p->group, last = first + p->group - 1;
    if (last >= p->trial->s->ranks) last = p->trial->s->ranks - 1;
    if (p->rows > 32 && row % 2) return;
    bough_text_printf(&p->h->out, "<text class=\"end\" x=\"%d\" y=\"%u\">", LEFT - 6,
                      TOP + row * HIGH + HIGH - 2);
    if (p->group > 1)
        bough_text_printf(&p->h->out, "ranks %" PRIu32 "-%" PRIu32, first, last);
    else
        bough_text_printf(&p->h->out, "rank %" PRIu32, first);
    bough_text_put(&p->h->out, "</text>\n");
}

static void put_path(picture *p, const critical_path *path) {
    bough_text *out = &p->h->out;
    bough_text_printf(out, "<text class=\"end\" x=\"%d\" y=\"18\">critical path</text>\n", LEFT - 6);
    for (int cause = 0; cause < CRITICAL_CAUSES; cause++) {
        bool some = false;
        double last = -1;
        for (size_t i = path->parts; i-- > 0;) {
            const critical_part *k = &path->part[i];
            double from = (double)k->from / (double)p->end * COLUMNS,
                   to = (double)k->to / (double)p->end * COLUMNS;
            if ((int)k->cause != cause || to < last + 0.1) continue; /* too small to be seen */
            if (!some) bough_text_printf(out, "<path class=\"line%d\" d=\"", colour_of_cause[cause]);
            some = true;
            last = to;
            bough_text_printf(out, "M%.2f 14h%.2f", LEFT + from, to - from);
        }
        if (some) bough_text_put(out, "\"/>\n");
    }
}

static void put_axis(picture *p) {
    char text[TIMELINE_TIME_TEXT];
    for (unsigned i = 0; i <= 4; i++) {
        unsigned x = LEFT + i * COLUMNS / 4, y = TOP + p->rows * HIGH;
        bough_text_printf(&p->h->out,
                          "<line class=\"tick\" x1=\"%u\" x2=\"%u\" y1=\"4\" y2=\"%u\"/>\n<text class=\"%s\" "
                          "x=\"%u\" y=\"%u\">%s</text>\n",
                          x, x, y + 4,
                          i == 4 ? "end"
                          : i    ? "middle"
                                 : "start",
                          x, y + 18, timeline_time_text((double)p->end * i / 4, text));
    }
}

static void put_legend(html_writer *h) {
    static const struct {
        int colour;
        const char *more, *text;
    } legend[] = {{0, "", "computation"},
                  {1, "", "CPU time for messages"},
                  {5, " faint", "waits for messages"},
                  {2, "", "path: message, as on an idle network"},
                  {3, "", "path: time lost to other messages"}};
    html_put(h, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < sizeof legend / sizeof *legend; i++)
        bough_text_printf(&h->out,
                          "<li><svg class=\"timeline\" width=\"14\" height=\"11\" aria-hidden=\"true\"><path "
                          "class=\"line%d%s\" d=\"M0 5h12\"/></svg> %s</li>\n",
                          legend[i].colour, legend[i].more, legend[i].text);
    html_put(h, "</ul>\n");
}

bough_status timeline_draw(document *d, const recorded_trial *trial, const critical_path *path, uint64_t end,
                           bough_error *error) {
    html_writer writer = {0}, *h = &writer;
    picture *p;
    bough_status status = bough_alloc(&p, 1, sizeof *p, error);
    if (status) return status;
    *p = (picture){.h = h, .trial = trial, .end = end};
    p->group = (trial->s->ranks + ROWS_MAX - 1) / ROWS_MAX;
    p->rows = (trial->s->ranks + p->group - 1) / p->group;
    status = bough_alloc(&p->rank, (uint64_t)COLUMNS * KINDS, sizeof *p->rank, error);
    if (!status) {
        put_legend(h);
        bough_text_printf(
            &h->out,
            "<div class=\"scroll drawn\" tabindex=\"0\" role=\"group\" aria-label=\"Ranks over "
            "time\">\n<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"timeline\" viewBox=\"0 0 %d "
            "%u\" width=\"1200\" role=\"img\" aria-label=\"Ranks over time\">\n",
            LEFT + COLUMNS + 10, TOP + p->rows * HIGH + BOTTOM);
        put_axis(p);
        put_path(p, path);
        for (uint32_t row = 0; row < p->rows; row++) {
            put_label(p, row);
            fill_row(p, row);
            put_row(p, row);
        }
        html_put(h, "</svg>\n</div>\n");
        if (p->group > 1)
            html_put(h, "<p class=\"note\">A row shows what takes most of the time of its ranks.</p>\n");
    }
    if (status)
        bough_text_fini(&h->out);
    else
        document_figure(d, "Ranks over time", &h->out);
    FREE_ALL(p->rank, p);
    return status;
}
