/* Nearly all lines repeat one that was seen before, but for the port: that is compared by words. */
#include "formats/tables/usual_lines.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>

/* 0x0001 001 # Channel Adapter portguid 0x0002c90300000001: 'h0000 HCA-1' */
enum { LID_AT = 2, LID_DIGITS = 4, PORT_AT = 7, PORT_DIGITS = 3, INFO_AT = 10, LINE_MIN = INFO_AT + 2 };

/* A shorter line is not kept: its last word would have digits of the port. */
enum { WORD = 8, KNOWN_MIN = INFO_AT + WORD };

typedef struct known_line {
    char text[95];
    uint8_t length; /* with the line end; 0: none yet */
} known_line;

struct usual_memory {
    const uint64_t *owner;
    uint32_t next;                       /* the LID after that of the last line */
    known_line known[BOUGH_LID_MAX + 2]; /* by LID */
};

bough_status usual_memory_create(const uint64_t *owner, usual_memory **out, bough_error *error) {
    bough_status status = bough_alloc(out, 1, sizeof **out, error);
    if (!status) (*out)->owner = owner;
    return status;
}

void usual_lines_fini(usual_lines *found) {
    FREE_ALL(found->run, found->port);
}

bool entry_has_other_guid(uint64_t owner, scanner *s, uint64_t *guid) {
    scan_blanks(s);
    if (!owner ||
        (!scan_text(s, "# Channel Adapter portguid 0x") && !scan_text(s, ": (Channel Adapter portguid 0x")))
        return false;
    return scan_hex(s, guid) && *guid != owner;
}

/* The value of hexadecimal digits; above 0xffff: something else is there. */
static uint32_t lid_at(const char *at) {
    uint32_t value = 0;
    for (unsigned i = 0; i < LID_DIGITS; i++) {
        unsigned digit = (unsigned char)at[i] - (unsigned)'0', letter = ((unsigned char)at[i] | 0x20U) - 'a';
        if (digit > 9 && letter > 5) return UINT32_MAX;
        value = value << 4 | (digit <= 9 ? digit : letter + 10);
    }
    return value;
}

/* The port in the usual columns of a line; above 255: something else is there. */
static inline uint32_t usual_port(const char *line) {
    const unsigned a = (unsigned char)line[PORT_AT] - (unsigned)'0',
                   b = (unsigned char)line[PORT_AT + 1] - (unsigned)'0',
                   c = (unsigned char)line[PORT_AT + 2] - (unsigned)'0';
    return a > 9 || b > 9 || c > 9 ? UINT32_MAX : a * 100 + b * 10 + c;
}

static inline uint64_t word_at(const char *at) {
    uint64_t word;
    memcpy(&word, at, WORD);
    return word;
}

static inline uint64_t difference(const char *a, const char *b, size_t at) {
    return word_at(a + at) ^ word_at(b + at);
}

/* Whether two lines of `length` bytes, KNOWN_MIN or more, are equal but for the port. */
static inline bool is_same(const char *line, const char *known, size_t length) {
    static const char columns[2 * WORD + 1] = "\377\377\377\377\377\377\377\0\0\0\377\377\377\377\377\377";
    size_t i = 2 * WORD;
    if ((difference(line, known, 0) & word_at(columns)) ||
        (difference(line, known, WORD) & word_at(columns + WORD)))
        return false;
    for (; i + 2 * WORD < length; i += 2 * WORD)
        if (difference(line, known, i) | difference(line, known, i + WORD)) return false;
    if (i + WORD < length && difference(line, known, i)) return false;
    return !difference(line, known, length - WORD);
}

typedef struct usual_entry {
    uint32_t lid, port;
} usual_entry;

/* Matches lines of the next LIDs as they were seen before, and stores their ports. Returns the end of them.
 */
static const char *match_known(usual_memory *m, const char *at, const char *end, uint8_t *port) {
    const known_line *known = &m->known[m->next];
    for (; known->length && (size_t)(end - at) >= known->length; known++) {
        const uint32_t number = usual_port(at);
        if (!is_same(at, known->text, known->length) || number > UINT8_MAX) break;
        *port++ = (uint8_t)number;
        at += known->length;
    }
    m->next = (uint32_t)(known - m->known);
    return at;
}

/* Whether a line, given with its end, has the usual columns and nothing to report. */
static bool is_usual(const usual_memory *m, const char *line, size_t length, usual_entry *entry) {
    uint64_t guid;
    if (length < LINE_MIN || line[0] != '0' || line[1] != 'x' || line[PORT_AT - 1] != ' ' ||
        line[INFO_AT] != ' ')
        return false;
    *entry = (usual_entry){lid_at(line + LID_AT), usual_port(line)};
    if (entry->lid > BOUGH_LID_MAX || entry->port > UINT8_MAX) return false;
    scanner info = {.at = line + INFO_AT, .stop = line + length - 1};
    return !entry_has_other_guid(m->owner[entry->lid], &info, &guid);
}

static void learn(usual_memory *m, const char *line, size_t length, uint32_t lid) {
    known_line *known = &m->known[lid];
    if (known->length || length < KNOWN_MIN || length > sizeof known->text) return;
    memcpy(known->text, line, length);
    known->length = (uint8_t)length;
}

/* Whether there is room for one more run. */
static bool have_room(usual_lines *f) {
    return f->runs < f->run_room || !bough_grow(&f->run, &f->run_room, f->runs + 1, sizeof *f->run, NULL);
}

/* Adds lines, whose ports are behind those of the runs before. */
static void add(usual_lines *f, const usual_run *lines) {
    if (!lines->lines || !have_room(f)) return;
    usual_run *last = f->runs ? &f->run[f->runs - 1] : NULL;
    if (!last || last->end != lines->start || last->lid + last->lines != lines->lid) {
        f->run[f->runs++] = *lines;
        f->run[f->runs - 1].port = f->ports;
    } else {
        last->end = lines->end;
        last->lines += lines->lines;
    }
    f->ports += lines->lines;
}

/* A line that was not seen before: returns its end. */
static const char *find_new(usual_memory *m, const char *data, const char *end, bool room, usual_lines *f) {
    usual_entry entry;
    const char *stop = memchr(data, '\n', (size_t)(end - data));
    const size_t line = stop ? (size_t)(stop + 1 - data) : (size_t)(end - data);
    const bool zero = memchr(data, 0, line) != NULL;
    f->zero |= zero;
    if (!stop || zero || !is_usual(m, data, line, &entry)) return data + line;
    learn(m, data, line, entry.lid);
    m->next = entry.lid + 1;
    if (room) {
        f->port[f->ports] = (uint8_t)entry.port;
        add(f, &(usual_run){.start = data, .end = data + line, .lid = entry.lid, .lines = 1});
    }
    return data + line;
}

void usual_lines_find(usual_memory *m, const char *data, size_t size, usual_lines *f) {
    const char *const end = data + size;
    f->runs = f->ports = 0;
    f->zero = false;
    const bool room = !bough_grow(&f->port, &f->port_room, size / LINE_MIN + 1, 1, NULL);
    while (data < end) {
        const uint32_t lid = m->next;
        const char *start = data;
        if (room) {
            data = match_known(m, data, end, f->port + f->ports);
            add(f, &(usual_run){.start = start, .end = data, .lid = lid, .lines = m->next - lid});
        }
        if (data < end) data = find_new(m, data, end, room, f);
    }
}
