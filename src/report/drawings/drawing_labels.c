/* Labels of boxes, and the resulting box sizes. */
#include "report/drawings/drawing.h"

#include "base/memory/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128, LABEL_MAX = 26, LABEL_HEAD = 11, UPRIGHT_ROOM = 11 };
#define LETTER 5.4 /* width of a character in pixels, at the font size of labels */

/* The common prefix and suffix of all switch names is omitted. Numbers are not split. */
typedef struct common {
    size_t front, back;
    bool any;
    char first[NAME];
} common;

static void compare(common *c, const char *name) {
    if (!c->any) {
        c->any = true;
        snprintf(c->first, sizeof c->first, "%s", name);
        c->front = c->back = strlen(c->first);
        return;
    }
    size_t length = strlen(name), whole = strlen(c->first), k = 0;
    while (k < c->front && name[k] == c->first[k] && name[k]) k++;
    c->front = k;
    k = 0;
    while (k < c->back && k < length && name[length - 1 - k] == c->first[whole - 1 - k]) k++;
    c->back = k;
}

static bool word_part(char c) {
    return isalnum((unsigned char)c);
}

static void find_common(const bough_net *net, const drawing *d, common *c) {
    char name[NAME];
    size_t switches = 0;
    for (size_t i = 0; i < d->boxes; i++) {
        if (d->box[i].kind != DRAWING_SWITCH || d->box[i].count != 1) continue;
        compare(c, bough_node_name(net, d->box[i].node, name, sizeof name));
        switches++;
    }
    if (switches < 2) c->front = c->back = 0;
    size_t whole = strlen(c->first);
    while (c->front > 0 && word_part(c->first[c->front - 1])) c->front--;
    while (c->back > 0 && word_part(c->first[whole - c->back])) c->back--;
}

static size_t letters(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* The byte offset of the n-th character. */
static size_t letter_at(const char *text, size_t n) {
    size_t at = 0;
    for (; text[at]; at++)
        if (((unsigned char)text[at] & 0xc0) != 0x80 && n-- == 0) break;
    return at;
}

/* Removes the middle of texts longer than LABEL_MAX characters: names often differ at their ends. */
static void shorten(char *text) {
    size_t count = letters(text);
    char whole[NAME];
    if (count <= LABEL_MAX) return;
    snprintf(whole, sizeof whole, "%s", text);
    snprintf(text, NAME, "%.*s\xe2\x80\xa6%s", (int)letter_at(whole, LABEL_HEAD), whole,
             whole + letter_at(whole, count - (LABEL_MAX - LABEL_HEAD - 1)));
}

static void make_label(const bough_net *net, const drawing_box *b, const common *c, char *label) {
    char name[NAME];
    bough_node_name(net, b->node, name, sizeof name);
    size_t length = strlen(name);
    if (b->count > 1)
        snprintf(label, NAME, b->kind == DRAWING_HOST ? "%" PRIu64 : "\xc3\x97%" PRIu64, b->count);
    else if (b->kind == DRAWING_SWITCH && b->count == 1 && c->front + c->back < length)
        snprintf(label, NAME, "%.*s", (int)(length - c->front - c->back), name + c->front);
    else if (b->kind != DRAWING_SWITCH && b->count == 1 && !net->fabric)
        snprintf(label, NAME, "%" PRIu64, b->node);
    else
        snprintf(label, NAME, "%s", b->count == 1 && b->kind == DRAWING_SWITCH ? name : "");
    shorten(label);
}

static double wanted(const char *label) {
    return (double)letters(label) * LETTER + 7;
}

static double room_of(const drawing_box *b) {
    return 0.82 * b->width;
}

static bool is_circle(const drawing_box *b) {
    return b->kind != DRAWING_SWITCH && b->count == 1;
}

/* width is the available space in the row, and becomes the width of the box. upright: some label of the row
 * must be vertical. */
static void fit(drawing_box *b, char *label, bool upright) {
    double room = room_of(b), want = wanted(label);
    if (is_circle(b)) {
        double size = b->kind == DRAWING_BOTH ? 22 : 15;
        b->width = b->height = room < size ? room : size;
        if (want - 4 > b->width + 3) label[0] = 0;
        return;
    }
    b->height = 18;
    if (want <= room && (!upright || want <= 30)) {
        b->width = want > 16 ? want : room < 16 ? room : 16;
    } else if (room >= UPRIGHT_ROOM) {
        b->upright = true;
        b->height = want > 18 ? want : 18;
        b->width = room < 16 ? room : 16;
    } else {
        label[0] = 0;
        b->width = room;
    }
}

static void put_title(bough_text *out, const bough_net *net, const drawing_box *b) {
    char name[NAME];
    bough_node_name(net, b->node, name, sizeof name);
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
    if (b->load > 0) bough_text_printf(out, "; flows on the most loaded link among them: %.6g", b->load);
}

static void put_line_title(bough_text *out, const bough_net *net, const drawing *d, const drawing_line *l) {
    char name[2 * NAME + 16];
    bough_text_printf(out, "%s to ", bough_node_name(net, d->box[l->from].node, name, NAME));
    bough_text_put(out, bough_node_name(net, d->box[l->to].node, name, NAME));
    if (l->links[0] + l->links[1] == 1)
        bough_text_put(out, l->links[0] ? ", one way" : ", back only");
    else if (l->links[0] > 1 || l->links[1] > 1)
        bough_text_printf(out, ": %" PRIu64 " links there, %" PRIu64 " back", l->links[0], l->links[1]);
    if (l->dead) bough_text_printf(out, ", %" PRIu64 " of them dead", l->dead);
    if (!d->loads) return;
    bough_text_printf(out, "; maximum link load: %.6g there, %.6g back", l->load[0], l->load[1]);
    if (l->fullest != BOUGH_NONE && l->links[0] + l->links[1] > 2)
        bough_text_printf(out, " (%s)", bough_link_name(net, l->fullest, name, sizeof name));
}

bough_status drawing_name(const bough_net *net, drawing *d, bough_error *error) {
    common c = {0};
    char label[NAME];
    bool failed = false, upright[DRAWING_ROWS] = {0};
    find_common(net, d, &c);
    for (size_t i = 0; i < d->boxes; i++) {
        const drawing_box *b = &d->box[i];
        make_label(net, b, &c, label);
        if (!is_circle(b) && wanted(label) > room_of(b)) upright[b->row] = true;
    }
    for (size_t i = 0; i < d->boxes; i++) {
        drawing_box *b = &d->box[i];
        bough_text title = {0};
        make_label(net, b, &c, label);
        fit(b, label, upright[b->row]);
        put_title(&title, net, b);
        b->label = bough_strdup(label);
        b->title = bough_text_take(&title);
        failed |= !b->label || !b->title;
    }
    for (size_t i = 0; i < d->lines; i++) {
        bough_text title = {0};
        put_line_title(&title, net, d, &d->line[i]);
        d->line[i].title = bough_text_take(&title);
        failed |= !d->line[i].title;
    }
    return failed ? bough_fail_memory(error, d->boxes * NAME) : BOUGH_OK;
}
