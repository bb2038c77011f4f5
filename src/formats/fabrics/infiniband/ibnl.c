#include "formats/fabrics/infiniband/ibnl.h"

#include "base/status/try.h"
#include "base/text/text.h"
#include "formats/fabrics/infiniband/link_speeds.h"

#include <inttypes.h>
#include <stdio.h>

enum { DEPTH_MAX = 8, PATH = 256, KEY = 2 * IBNL_NAME, STEPS_MAX = 1 << 24 };

/* ---- lines ---- */

/* "-4x-5G->", "->"; the width and the speed may be left out. */
static bool read_arrow(bough_slice arrow, ibnl_wire *w) {
    if (arrow.length < 2 || *arrow.text != '-' || arrow.text[arrow.length - 1] != '>') return false;
    const char *at = arrow.text + 1, *stop = arrow.text + arrow.length - 1;
    for (const char *end; at < stop; at = end + 1) {
        end = memchr(at, '-', (size_t)(stop - at));
        if (!end || end == at) return false;
        const bough_slice value = {at, (size_t)(end - at)};
        if (strchr("xX", end[-1]))
            w->width = link_width_name(value);
        else
            w->speed = (bough_slice){at, value.length - (strchr("gG", end[-1]) != NULL)};
    }
    return true;
}

bool ibnl_read_wire(scanner *s, ibnl_wire *wire) {
    scanner line = *s;
    bough_slice arrow;
    *wire = (ibnl_wire){.line = s->line};
    scan_blanks(&line);
    if (!scan_word(&line, &wire->port) || !scan_blanks(&line) || !scan_word(&line, &arrow) ||
        !read_arrow(arrow, wire))
        return false;
    while (scan_blanks(&line), wire->words < 3 && scan_word(&line, &wire->word[wire->words])) wire->words++;
    *s = line;
    return true;
}

uint64_t ibnl_rate(bough_slice width, bough_slice speed) {
    bough_parsed_port port = {.cabled = true};
    return width.length && speed.length && bough_parsed_rate(&port, width, link_speed_name(speed))
               ? port.own.rate
               : 0;
}

bool ibnl_starts(const scanner *line) {
    static const char *const words[] = {"TOPSYSTEM", "SYSTEM", "NODE", "SUBSYSTEM"};
    scanner s = *line;
    bough_slice word;
    scan_blanks(&s);
    if (!scan_word(&s, &word) || !scan_blanks(&s)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bough_slice_is(word, words[i])) return !scan_done(&s);
    return false;
}

/* ---- names ---- */

/* One map has all of them: a letter for what it is, the number of what it belongs to, and the name. */
static bough_slice key_of(char *buffer, char kind, uint32_t of, bough_slice name) {
    const int length = snprintf(buffer, KEY, "%c%" PRIu32 "/%.*s", kind, of,
                                (int)(name.length < IBNL_NAME ? name.length : IBNL_NAME), name.text);
    return (bough_slice){buffer, (size_t)length};
}

static uint32_t get(const ibnl *d, char kind, uint32_t of, bough_slice name) {
    char buffer[KEY];
    const bough_slice key = key_of(buffer, kind, of, name);
    return name.length > IBNL_NAME ? BOUGH_NO_INDEX : bough_name_map_get(&d->keys, key.text, key.length);
}

/* The first of a name counts. */
static bough_status add(ibnl *d, bough_slice key, uint32_t value) {
    char *kept = NULL;
    if (bough_name_map_get(&d->keys, key.text, key.length) != BOUGH_NO_INDEX) return BOUGH_OK;
    bough_status status = arena_copy_bytes(d->memory, &kept, key.text, key.length, d->error);
    return status ? status : bough_name_map_add(&d->keys, kept, key.length, value, d->error);
}

static bough_status check_name(const scanner *s, bough_slice name) {
    if (!name.length) return scan_fail(s, "expected a name");
    return name.length > IBNL_NAME
               ? scan_fail(s, "the name %s is longer than %d bytes", SHOWN(name), IBNL_NAME)
               : BOUGH_OK;
}

/* ---- descriptions ---- */

/* LEAF,LEAF:4x */
static bough_status read_board(ibnl *d, scanner *s, bool top) {
    bough_status status =
        arena_grow(d->memory, &d->board, d->boards + UINT64_C(1), sizeof *d->board, d->error);
    if (status) return status;
    d->board[d->boards] = (ibnl_board){.first_part = d->parts, .scope = d->scope};
    while (!status && !scan_done(s)) {
        const char *comma = memchr(s->at, ',', (size_t)(s->stop - s->at)), *end = comma ? comma : s->stop;
        bough_slice name;
        scanner part = scan_part(s, (bough_slice){s->at, (size_t)(end - s->at)});
        char buffer[KEY];
        scan_word(&part, &name);
        status = check_name(s, name);
        if (!status) status = add(d, key_of(buffer, top ? 'T' : 'B', top ? 0 : d->scope, name), d->boards);
        s->at = comma ? comma + 1 : s->stop;
    }
    d->boards++;
    d->scope += top;
    return status;
}

static bough_status add_part(ibnl *d, const scanner *s, ibnl_part *part) {
    char buffer[KEY];
    bough_status status = check_name(s, part->name);
    TRY(check_name(s, part->type));
    TRY(arena_grow(d->memory, &d->part, d->parts + UINT64_C(1), sizeof *d->part, d->error));
    if (status) return status;
    part->board = d->boards - 1;
    part->first_wire = d->wires;
    part->line = s->line;
    if (get(d, 'P', part->board, part->name) != BOUGH_NO_INDEX)
        return scan_fail(s, "the system has two parts %s", SHOWN(part->name));
    status = add(d, key_of(buffer, 'P', part->board, part->name), d->parts);
    d->part[d->parts++] = *part;
    d->board[part->board].parts++;
    return status;
}

/* SW 8 MT43132 U1 */
static bough_status read_chip(ibnl *d, scanner *s) {
    ibnl_part part = {.chip = true};
    bough_slice kind;
    uint64_t ports;
    const bool fits = scan_word(s, &kind) && scan_blanks(s) && scan_number(s, &ports) && scan_blanks(s) &&
                      scan_word(s, &part.type) && scan_blanks(s) && scan_word(s, &part.name) && scan_done(s);
    part.adapter = fits && (bough_slice_is(kind, "CA") || bough_slice_is(kind, "HCA"));
    if (!fits || (!part.adapter && !bough_slice_is(kind, "SW")))
        return scan_fail(s, "expected a chip: NODE SW or CA, number of ports, device, name");
    return add_part(d, s, &part);
}

/* LEAF leaf1 */
static bough_status read_subsystem(ibnl *d, scanner *s) {
    ibnl_part part = {.chip = false};
    if (!scan_word(s, &part.type) || !scan_blanks(s) || !scan_word(s, &part.name) || !scan_done(s))
        return scan_fail(s, "expected a board: SUBSYSTEM TYPE NAME");
    return add_part(d, s, &part);
}

/* Of a port of the last part. */
static bough_status add_wire(ibnl *d, const scanner *s, ibnl_wire *w) {
    char buffer[KEY];
    if (!d->parts || d->part[d->parts - 1].board != d->boards - 1)
        return scan_fail(s, "a connection before the first NODE or SUBSYSTEM");
    bough_status status = check_name(s, w->port);
    for (unsigned i = 0; i < w->words && !status; i++) status = check_name(s, w->word[i]);
    TRY(arena_grow(d->memory, &d->wire, d->wires + UINT64_C(1), sizeof *d->wire, d->error));
    if (status) return status;
    TRY(add(d, key_of(buffer, 'W', d->parts - 1, w->port), d->wires));
    if (w->words == 1) TRY(add(d, key_of(buffer, 'F', d->boards - 1, w->word[0]), d->wires));
    w->words = w->words == 1 ? 1 : 2;
    d->part[d->parts - 1].wires++;
    d->wire[d->wires++] = *w;
    return status;
}

bool ibnl_is_attribute(const scanner *line) {
    scanner s = *line;
    bough_slice word;
    return scan_word(&s, &word) && memchr(word.text, '=', word.length);
}

bough_status ibnl_read_line(ibnl *d, scanner *s) {
    ibnl_wire wire;
    scan_blanks(s);
    if (ibnl_starts(s)) {
        bough_slice word;
        scan_word(s, &word);
        scan_blanks(s);
        const bool top = bough_slice_is(word, "TOPSYSTEM");
        if (top || bough_slice_is(word, "SYSTEM")) return d->inside = true, read_board(d, s, top);
        if (!d->inside) return scan_fail(s, "%s before the first SYSTEM or TOPSYSTEM", SHOWN(word));
        return bough_slice_is(word, "NODE") ? read_chip(d, s) : read_subsystem(d, s);
    }
    if (ibnl_read_wire(s, &wire) && scan_done(s) && (wire.words == 1 || wire.words == 2))
        return add_wire(d, s, &wire);
    if (ibnl_is_attribute(s)) return BOUGH_OK;
    return scan_fail(s,
                     "expected a line of a description: NODE, SUBSYSTEM, or a connection PORT -> CONNECTOR "
                     "or PORT -> PART PORT");
}

uint32_t ibnl_type(const ibnl *d, bough_slice type) {
    return get(d, 'T', 0, type);
}

/* ---- systems ---- */

bough_status ibnl_modify(ibnl *d, uint32_t system, scanner *s) {
    bough_status status = BOUGH_OK;
    char word[2 * IBNL_NAME], buffer[KEY];
    while (!status && scan_next(s, " \t,", word, sizeof word)) {
        char *value = strchr(word, '='), *kept = NULL;
        if (!value) return scan_fail(s, "expected boards and what is in their place: CFG: leaf1=R,leaf2=12x");
        const size_t length = (size_t)(value - word);
        status =
            arena_grow(d->memory, &d->modifier, d->modifiers + UINT64_C(1), sizeof *d->modifier, d->error);
        TRY(arena_copy(d->memory, &kept, word, d->error));
        if (status) return status;
        const ibnl_modifier made = {.board = {kept, length},
                                    .value = {kept + length + 1, strlen(value + 1)},
                                    .system = system,
                                    .line = s->line};
        status = check_name(s, made.board);
        TRY(add(d, key_of(buffer, 'M', system, made.board), d->modifiers));
        d->modifier[d->modifiers++] = made;
    }
    return status;
}

bough_status ibnl_check_modifiers(const ibnl *d, const ibnl_system *systems, const scanner *file) {
    for (uint32_t i = 0; i < d->modifiers; i++) {
        const ibnl_modifier *m = &d->modifier[i];
        const ibnl_system *system = &systems[m->system];
        if (!m->used && system->board != BOUGH_NO_INDEX)
            return scan_fail_line(
                file, m->line,
                "%s has no board %s, or CFG names it twice; expected a name behind SUBSYSTEM in the "
                "description of %s",
                SHOWN(system->name), SHOWN(m->board), SHOWN(system->type));
    }
    return BOUGH_OK;
}

/* A board within a system. */
typedef struct instance {
    ibnl *d;
    const ibnl_system *system;
    bough_cables *cables;
    uint32_t board;
    unsigned depth;
    char path[PATH]; /* "leaf1/", of the system itself "" */
} instance;

static bough_status step(const instance *in) {
    if (++in->d->steps < STEPS_MAX) return BOUGH_OK;
    return bough_fail(in->d->error, BOUGH_TOO_LARGE, in->cables->parsed->name,
                      "the systems have more than %d parts and connections", STEPS_MAX);
}

static bool is_removed(bough_slice modifier) {
    return bough_slice_is(modifier, "R") || bough_slice_is(modifier, "X") ||
           bough_slice_is(modifier, "Removed");
}

/* The board that a part is; BOUGH_NO_INDEX: the system lacks it. */
static bough_status find_board(const instance *in, const ibnl_part *part, uint32_t *board) {
    const ibnl *d = in->d;
    const bough_slice *name = &part->name;
    char path[PATH], type[KEY + 2];
    snprintf(path, sizeof path, "%s%.*s", in->path, (int)name->length, name->text);
    const uint32_t m = get(d, 'M', in->system->number, (bough_slice){path, strlen(path)});
    const bough_slice modifier = m == BOUGH_NO_INDEX ? (bough_slice){"", 0} : d->modifier[m].value;
    if (m != BOUGH_NO_INDEX) d->modifier[m].used = true;
    *board = BOUGH_NO_INDEX;
    if (is_removed(modifier)) return BOUGH_OK;
    snprintf(type, sizeof type, "%.*s%s%.*s", (int)part->type.length, part->type.text,
             modifier.length ? ":" : "", (int)modifier.length, modifier.text);
    const bough_slice whole = {type, strlen(type)};
    *board = get(d, 'B', d->board[in->board].scope, whole);
    if (*board != BOUGH_NO_INDEX) return BOUGH_OK;
    return scan_fail_line(
        &(scanner){.file = in->cables->parsed->name, .error = in->d->error}, part->line,
        "no board %s is described, which %s of system %s is; expected SYSTEM %s before this "
        "line, or %s=R in the system for none",
        SHOWN(whole), SHOWN(*name), SHOWN(in->system->name), SHOWN(whole), SHOWN(*name));
}

/* Moves to a board within this one. */
static bough_status enter(const instance *in, const ibnl_part *part, instance *inner) {
    *inner = *in;
    inner->depth++;
    const int length =
        snprintf(inner->path, PATH, "%s%.*s/", in->path, (int)part->name.length, part->name.text);
    if (length >= PATH || inner->depth > DEPTH_MAX)
        return bough_fail(
            in->d->error, BOUGH_INVALID, in->cables->parsed->name,
            "the system %s has more than %d levels of boards, or a part whose name with those of its "
            "boards is longer than %d bytes",
            SHOWN(in->system->name), DEPTH_MAX, PATH - 1);
    bough_status status = find_board(in, part, &inner->board);
    return status ? status : step(inner);
}

static bough_status chip_node(const instance *in, const ibnl_part *chip, uint32_t *node) {
    const bool single = in->depth == 0 && in->d->board[in->board].parts == 1;
    const bough_slice *system = &in->system->name;
    char name[IBNL_NAME + PATH + IBNL_NAME + 2];
    const int length = single ? snprintf(name, sizeof name, "%.*s", (int)system->length, system->text)
                              : snprintf(name, sizeof name, "%.*s/%s%.*s", (int)system->length, system->text,
                                         in->path, (int)chip->name.length, chip->name.text);
    bough_status status =
        bough_cables_node(in->cables, (bough_slice){name, (size_t)length}, in->system->line, node);
    if (!status) in->cables->node[*node].kind = chip->adapter ? BOUGH_CABLE_HOST : BOUGH_CABLE_SWITCH;
    return status;
}

static bough_status find_connector(const instance *in, bough_slice connector, ibnl_place *place);

/* Where a port of a part leads: to the chip, or to that which the connector of a board leads to. */
static bough_status find_port(const instance *in, const ibnl_part *part, bough_slice port,
                              ibnl_place *place) {
    instance inner;
    *place = (ibnl_place){.node = BOUGH_NO_INDEX, .port = port};
    if (part->chip) return chip_node(in, part, &place->node);
    bough_status status = enter(in, part, &inner);
    return status || inner.board == BOUGH_NO_INDEX ? status : find_connector(&inner, port, place);
}

/* What a chip says of its port counts before what its board says. */
static void note_rate(const ibnl_wire *w, ibnl_place *place) {
    if (!place->width.length) place->width = w->width;
    if (!place->speed.length) place->speed = w->speed;
}

static bough_status find_connector(const instance *in, bough_slice connector, ibnl_place *place) {
    const ibnl *d = in->d;
    const uint32_t w = get(d, 'F', in->board, connector);
    uint32_t part = d->board[in->board].first_part;
    if (w == BOUGH_NO_INDEX) return BOUGH_OK;
    uint32_t end = part + d->board[in->board].parts - 1;
    while (part < end) { /* the last part whose wires start before or at w */
        const uint32_t middle = part + (end - part + 1) / 2;
        if (d->part[middle].first_wire <= w)
            part = middle;
        else
            end = middle - 1;
    }
    bough_status status = find_port(in, &d->part[part], d->wire[w].port, place);
    note_rate(&d->wire[w], place);
    return status;
}

bough_status ibnl_find(ibnl *d, const ibnl_system *system, bough_cables *cables, bough_slice connector,
                       ibnl_place *place) {
    const instance top = {.d = d, .system = system, .cables = cables, .board = system->board};
    *place = (ibnl_place){.node = BOUGH_NO_INDEX};
    return find_connector(&top, connector, place);
}

static bough_status build_wire(const instance *in, const ibnl_part *part, const ibnl_wire *w) {
    const uint32_t other = w->words == 2 ? get(in->d, 'P', in->board, w->word[0]) : BOUGH_NO_INDEX;
    ibnl_place a, b;
    bough_status status = step(in);
    if (status || w->words == 1) return status;
    if (other == BOUGH_NO_INDEX)
        return scan_fail_line(&(scanner){.file = in->cables->parsed->name, .error = in->d->error}, w->line,
                              "the system has no part %s; expected the name of a NODE or SUBSYSTEM",
                              SHOWN(w->word[0]));
    status = find_port(in, part, w->port, &a);
    TRY(find_port(in, &in->d->part[other], w->word[1], &b));
    if (status || a.node == BOUGH_NO_INDEX || b.node == BOUGH_NO_INDEX) return status;
    note_rate(w, &a);
    const bough_cable cable = {.end = {{.node = a.node, .port = a.port}, {.node = b.node, .port = b.port}},
                               .rate = ibnl_rate(a.width, a.speed),
                               .line = w->line};
    return bough_cables_add(in->cables, &cable);
}

static bough_status build_board(const instance *in);

static bough_status build_part(const instance *in, const ibnl_part *part) {
    uint32_t node;
    instance inner;
    bough_status status = step(in);
    if (!status && part->chip) status = chip_node(in, part, &node);
    if (!status && !part->chip) {
        status = enter(in, part, &inner);
        if (!status && inner.board != BOUGH_NO_INDEX) status = build_board(&inner);
    }
    for (uint32_t i = 0; i < part->wires && !status; i++)
        status = build_wire(in, part, &in->d->wire[part->first_wire + i]);
    return status;
}

static bough_status build_board(const instance *in) {
    const ibnl_board *board = &in->d->board[in->board];
    bough_status status = BOUGH_OK;
    for (uint32_t i = 0; i < board->parts && !status; i++)
        status = build_part(in, &in->d->part[board->first_part + i]);
    return status;
}

bough_status ibnl_build(ibnl *d, const ibnl_system *system, bough_cables *cables) {
    return build_board(&(instance){.d = d, .system = system, .cables = cables, .board = system->board});
}
