/* Labels of boxes, and the resulting box sizes. */
#include "report/drawings/drawing.h"

#include "base/memory/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128, LABEL_MAX = 26, LABEL_HEAD = 11, UPRIGHT_WIDTH = 11 };
#define LETTER 5.4 /* width of a character in pixels, at the font size of labels */

/* The common prefix and suffix of the names of all switches (or hosts) is omitted. Numbers are not split. */
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

static void find_common(const drawing *d, drawing_kind kind, common *c) {
    char name[NAME];
    size_t names = 0;
    for (size_t i = 0; i < d->boxes; i++) {
        if (d->box[i].kind != kind || d->box[i].count != 1) continue;
        compare(c, bough_node_name(d->net, d->box[i].node, name, sizeof name));
        names++;
    }
    if (names < 2) c->front = c->back = 0;
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
    if (b->count == 0)
        label[0] = 0;
    else if (b->count > 1)
        snprintf(label, NAME, b->kind == DRAWING_HOST ? "%" PRIu64 : "\xc3\x97%" PRIu64, b->count);
    else if (b->kind != DRAWING_SWITCH && !net->fabric)
        snprintf(label, NAME, "%" PRIu64, b->node);
    else if (c->front + c->back < length)
        snprintf(label, NAME, "%.*s", (int)(length - c->front - c->back), name + c->front);
    else
        snprintf(label, NAME, "%s", name);
    shorten(label);
}

static double label_width(const char *label) {
    return (double)letters(label) * LETTER + 7;
}

static double usable_width(const drawing_box *b) {
    return 0.82 * b->slot;
}

static bool is_circle(const drawing_box *b) {
    return b->kind != DRAWING_SWITCH && b->count == 1;
}

/* Rows of one kind of box look alike: if a label must be vertical, all are, unless boxes have very different
 * room. */
enum { UNEVEN = 2 };

typedef struct row_room {
    double least, most; /* slot */
    bool upright;
} row_room;

static bool is_upright(const row_room *row) {
    return row->upright && row->most < UNEVEN * row->least;
}

/* Sets the size of a box. upright: some label of its row must be vertical, and all are. */
static void fit(drawing_box *b, bool upright) {
    double usable = usable_width(b), want = label_width(b->label);
    b->fits = true;
    if (is_circle(b)) {
        b->width = b->height = fmin(usable, b->kind == DRAWING_BOTH ? 22 : 15);
        b->fits = want - 4 <= b->width + 3;
        return;
    }
    b->height = 18;
    if (want <= usable && (!upright || want <= 30)) {
        b->width = fmax(want, fmin(usable, 16));
    } else if (usable >= UPRIGHT_WIDTH) {
        b->upright = true;
        b->height = fmax(want, 18);
        b->width = fmin(usable, 16);
    } else {
        b->fits = false;
        b->width = usable;
    }
}

bough_status drawing_label(drawing *d, bough_error *error) {
    common c[DRAWING_BOTH + 1] = {0};
    char label[NAME];
    bool failed = false;
    row_room *room;
    bough_status status = bough_alloc(&room, d->rows, sizeof *room, error);
    if (status) return status;
    for (int kind = 0; kind <= DRAWING_BOTH; kind++) find_common(d, kind, &c[kind]);
    for (size_t i = 0; i < d->boxes; i++) {
        drawing_box *b = &d->box[i];
        make_label(d->net, b, &c[b->kind], label);
        b->label = bough_strdup(label);
        failed |= !b->label;
        row_room *row = &room[b->row];
        if (!is_circle(b) && label_width(label) > usable_width(b)) row->upright = true;
        row->least = row->most > 0 ? fmin(row->least, b->slot) : b->slot;
        row->most = fmax(row->most, b->slot);
    }
    for (size_t i = 0; i < d->boxes && !failed; i++) fit(&d->box[i], is_upright(&room[d->box[i].row]));
    free(room);
    return failed ? bough_fail_memory(error, d->boxes * NAME) : BOUGH_OK;
}
