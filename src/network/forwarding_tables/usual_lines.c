/* Nearly all lines repeat one that was seen before, but for the port: two comparisons of bytes. */
#include "network/forwarding_tables/usual_lines.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>

/* 0x0001 001 # Channel Adapter portguid 0x0002c90300000001: 'h0000 HCA-1' */
enum { LID_AT = 2, LID_DIGITS = 4, PORT_AT = 7, PORT_DIGITS = 3, INFO_AT = 10, LINE_MIN = INFO_AT + 2 };

typedef struct known_line {
    uint8_t length; /* with the line end; 0: none yet */
    char text[95];
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

bool entry_has_other_guid(uint64_t owner, bough_scan *s, uint64_t *guid) {
    bough_scan_blanks(s);
    if (!owner || (!bough_scan_text(s, "# Channel Adapter portguid 0x") &&
                   !bough_scan_text(s, ": (Channel Adapter portguid 0x")))
        return false;
    return bough_scan_hex(s, guid) && *guid != owner;
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
static uint32_t usual_port(const char *line) {
    uint32_t port = 0;
    for (unsigned i = 0; i < PORT_DIGITS; i++) {
        unsigned digit = (unsigned char)line[PORT_AT + i] - (unsigned)'0';
        if (digit > 9) return UINT32_MAX;
        port = port * 10 + digit;
    }
    return port;
}

typedef struct usual_entry {
    uint32_t lid, port;
} usual_entry;

/* The next line, if it is that of the next LID as it was seen before; returns its length, else 0. */
static size_t match_known(const usual_memory *m, const char *line, size_t left, usual_entry *entry) {
    const known_line *known = &m->known[m->next];
    const size_t length = known->length;
    if (!length || left < length || memcmp(line, known->text, PORT_AT) != 0 ||
        memcmp(line + INFO_AT, known->text + INFO_AT, length - INFO_AT) != 0)
        return 0;
    *entry = (usual_entry){m->next, usual_port(line)};
    return entry->port <= UINT8_MAX ? length : 0;
}

/* Whether a line, given with its end, has the usual columns and nothing to report. */
static bool is_usual(const usual_memory *m, const char *line, size_t length, usual_entry *entry) {
    uint64_t guid;
    if (length < LINE_MIN || line[0] != '0' || line[1] != 'x' || line[PORT_AT - 1] != ' ' ||
        line[INFO_AT] != ' ')
        return false;
    *entry = (usual_entry){lid_at(line + LID_AT), usual_port(line)};
    if (entry->lid > BOUGH_LID_MAX || entry->port > UINT8_MAX) return false;
    bough_scan info = {.at = line + INFO_AT, .stop = line + length - 1};
    return !entry_has_other_guid(m->owner[entry->lid], &info, &guid);
}

static void learn(usual_memory *m, const char *line, size_t length, uint32_t lid) {
    known_line *known = &m->known[lid];
    if (known->length || length > sizeof known->text) return;
    memcpy(known->text, line, length);
    known->length = (uint8_t)length;
}

/* The same for a line that was not seen before. Returns 0 for all other lines. */
static size_t match_new(usual_memory *m, const char *line, size_t length, usual_entry *entry) {
    if (!is_usual(m, line, length, entry)) return 0;
    learn(m, line, length, entry->lid);
    return length;
}

/* Whether there is room for one more run. */
static bool have_room(usual_lines *f) {
    return f->runs < f->run_room || !bough_grow(&f->run, &f->run_room, f->runs + 1, sizeof *f->run, NULL);
}

static void add(usual_lines *f, const char *line, size_t length, const usual_entry *entry) {
    usual_run *last = f->runs ? &f->run[f->runs - 1] : NULL;
    if (!last || last->end != line || last->lid + last->lines != entry->lid) {
        last = &f->run[f->runs++];
        *last = (usual_run){.start = line, .lid = entry->lid, .port = f->ports};
    }
    last->end = line + length;
    last->lines++;
    f->port[f->ports++] = (uint8_t)entry->port;
}

void usual_lines_find(usual_memory *m, const char *data, size_t size, usual_lines *f) {
    const char *const end = data + size;
    f->runs = f->ports = 0;
    f->zero = false;
    const bool room = !bough_grow(&f->port, &f->port_room, size / LINE_MIN + 1, 1, NULL);
    while (data < end) {
        usual_entry entry;
        size_t length = match_known(m, data, (size_t)(end - data), &entry);
        if (!length) {
            const char *stop = memchr(data, '\n', (size_t)(end - data));
            const size_t line = stop ? (size_t)(stop + 1 - data) : (size_t)(end - data);
            const bool zero = memchr(data, 0, line) != NULL;
            f->zero |= zero;
            length = stop && !zero ? match_new(m, data, line, &entry) : 0;
            if (!length) {
                data += line;
                continue;
            }
        }
        if (room && have_room(f)) add(f, data, length, &entry);
        m->next = entry.lid + 1;
        data += length;
    }
}
