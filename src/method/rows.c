#include "method/rows.h"

#include "base/memory/memory.h"
#include "network/faults/faults.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *bough_outcome_name(bough_outcome outcome) {
    static const char *const name[] = {"ok", "saturated", "deadlock", "partial", "hangs"};
    return name[outcome];
}

bough_status bough_rows_add(bough_rows *rows, bough_metric_id metric, int64_t index, double value,
                            bough_error *error) {
    return bough_rows_add_row(rows, &(bough_row){metric, index, value, 0}, error);
}

bough_status bough_rows_add_row(bough_rows *rows, const bough_row *row, bough_error *error) {
    bough_status status = bough_grow(&rows->row, &rows->capacity, rows->count + 1, sizeof *rows->row, error);
    if (!status) rows->row[rows->count++] = *row;
    return status;
}

bool rows_find(const bough_rows *rows, bough_metric_id metric, double *value) {
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->row[i].metric != metric || rows->row[i].index != BOUGH_NO_ROW_INDEX) continue;
        *value = rows->row[i].value;
        return true;
    }
    return false;
}

bough_status rows_add_present(bough_rows *rows, const optional_row *row, size_t count, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < count && !status; i++)
        if (row[i].present)
            status = bough_rows_add_row(
                rows, &(bough_row){row[i].metric, BOUGH_NO_ROW_INDEX, row[i].value, row[i].ci95}, error);
    return status;
}

void rows_note_append(bough_rows *rows, const char *format, ...) {
    size_t length = strlen(rows->note);
    va_list args;
    va_start(args, format);
    vsnprintf(rows->note + length, sizeof rows->note - length, format, args);
    va_end(args);
}

void rows_note_unrouted(bough_rows *rows, const bough_net *net, uint64_t count,
                        const unrouted_message *first) {
    char from[64], to[64], dead[180];
    uint64_t target = bough_address_node(net, first->address);
    snprintf(rows->note, sizeof rows->note, "%" PRIu64 " message%s no route; the first: %s to %s", count,
             count == 1 ? " has" : "s have", bough_node_name(net, first->source, from, sizeof from),
             bough_node_name(net, target, to, sizeof to));
    if (*bough_dead_part(net, target, dead, sizeof dead) ||
        *bough_dead_part(net, first->source, dead, sizeof dead))
        rows_note_append(rows, ", as %s is dead", dead);
}

void bough_rows_fini(bough_rows *rows) {
    free(rows->row);
    *rows = (bough_rows){0};
}

/* ---- names of indices ---- */

static const char *const meanings[] = {"label", "link", MOST_USED_LINK, "job", "change"};
enum { MEANINGS = sizeof meanings / sizeof *meanings };

/* True if names with this meaning begin here: "jobs: ". */
static bool begins_names(const char *at, const char *meaning) {
    size_t length = strlen(meaning);
    return length && strncmp(at, meaning, length) == 0 && strncmp(at + length, "s: ", 3) == 0;
}

static bool begins_any_names(const char *at) {
    for (int i = 0; i < MEANINGS; i++)
        if (begins_names(at, meanings[i])) return true;
    return false;
}

/* What follows "jobs: ", at the start of the note or after "; "; NULL if it has no such names. */
static const char *names_of(const char *note, const char *meaning) {
    for (const char *at = note; at; at = strstr(at, "; "), at = at ? at + 2 : NULL)
        if (begins_names(at, meaning)) return at + strlen(meaning) + 3;
    return NULL;
}

void index_name_put(char note[BOUGH_NOTE_MAX], const char *meaning, int64_t index, const char *name) {
    char entry[BOUGH_NOTE_MAX];
    const char *names = names_of(note, meaning);
    size_t length = strlen(note);
    if (index_name_find(note, meaning, index, entry)) return;
    for (const char *at = names; at && (at = strstr(at, "; ")) != NULL; at += 2)
        if (begins_any_names(at + 2)) return; /* others follow */
    int wanted = names ? snprintf(entry, sizeof entry, ", %" PRId64 " %s", index, name)
                       : snprintf(entry, sizeof entry, "%s%ss: %" PRId64 " %s", length ? "; " : "", meaning,
                                  index, name);
    if (wanted < 0 || length + (size_t)wanted >= BOUGH_NOTE_MAX) return;
    memcpy(note + length, entry, (size_t)wanted + 1);
}

/* Length of a name: up to a comma that a number follows, so a name may contain commas; or to other names. */
static size_t name_length(const char *name) {
    const char *end = name;
    while (*end) {
        const char *digit = end + 2;
        if (strncmp(end, "; ", 2) == 0 && begins_any_names(end + 2)) break;
        if (strncmp(end, ", ", 2) == 0 && isdigit((unsigned char)*digit)) {
            while (isdigit((unsigned char)*digit)) digit++;
            if (*digit == ' ') break;
        }
        end++;
    }
    return (size_t)(end - name);
}

bool index_name_find(const char note[BOUGH_NOTE_MAX], const char *meaning, int64_t index,
                     char name[BOUGH_NOTE_MAX]) {
    char number[32];
    int digits = snprintf(number, sizeof number, "%" PRId64 " ", index);
    for (const char *at = names_of(note, meaning); at && isdigit((unsigned char)*at);) {
        size_t skip = strcspn(at, " ") + 1;
        if (skip > strlen(at)) return false;
        size_t length = name_length(at + skip);
        if (strncmp(at, number, (size_t)digits) == 0) {
            memcpy(name, at + skip, length);
            name[length] = 0;
            return length > 0;
        }
        at += skip + length;
        at += *at ? 2 : 0;
    }
    return false;
}

bool index_name_first(const char note[BOUGH_NOTE_MAX], const char *meaning, int64_t *index,
                      char name[BOUGH_NOTE_MAX]) {
    const char *at = names_of(note, meaning);
    uint64_t number = 0;
    for (; at && isdigit((unsigned char)*at) && number < INT64_MAX / 10; at++)
        number = 10 * number + (uint64_t)(*at - '0');
    *index = (int64_t)number;
    return at && index_name_find(note, meaning, *index, name);
}

int64_t index_pair(int64_t one, int64_t other) {
    return one * INDEX_PAIRS + other;
}

bool index_metric_name(const char note[BOUGH_NOTE_MAX], bough_metric_id metric, int64_t index,
                       char name[BOUGH_NOTE_MAX]) {
    const char *meaning = bough_metrics[metric].index;
    char one[BOUGH_NOTE_MAX], other[BOUGH_NOTE_MAX];
    if (strcmp(meaning, "job,by job") != 0) return index_name_find(note, meaning, index, name);
    if (!index_name_find(note, "job", index / INDEX_PAIRS, one) ||
        !index_name_find(note, "job", index % INDEX_PAIRS, other))
        return false;
    int length = snprintf(name, BOUGH_NOTE_MAX, "%s by %s", one, other);
    return length > 0 && length < BOUGH_NOTE_MAX;
}

size_t index_names_at(const char note[BOUGH_NOTE_MAX]) {
    if (begins_any_names(note)) return 0;
    for (const char *at = note; (at = strstr(at, "; ")) != NULL; at += 2)
        if (begins_any_names(at + 2)) return (size_t)(at - note);
    return strlen(note);
}
