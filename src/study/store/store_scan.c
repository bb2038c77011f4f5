/* Reads the contents of a store and detects damage. Every row is looked up by its id and every checksum is
 * verified; the seal stores the number of rows and trials. Damaged data is never reconstructed: a trial is as
 * it was written, or it is lost. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/run/point_binding.h"
#include "study/store/store_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOLES = 64 }; /* bound of unused numbers between two layouts, which limits the memory of a book */

/* Upper bound of the number of ids: every row takes some bytes. */
static bough_status most_rows(const bough_store *s, uint64_t *rows, bough_error *error) {
    int64_t pages = 0, size = 0;
    bough_status status = store_pragma(s, "page_count", &pages, error);
    TRY(store_pragma(s, "page_size", &size, error));
    *rows = bough_mul(pages > 0 ? (uint64_t)pages : 0, size > 0 ? (uint64_t)size / 8 : 0);
    return status;
}

/* The largest id; 0 if it cannot be read. */
static bough_status largest_id(const bough_store *s, uint64_t *id, bough_error *error) {
    sqlite3_stmt *statement;
    *id = 0;
    bough_status status = store_prepare(s, "SELECT max(id) FROM chunk", &statement, error);
    if (status) return status;
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int64(statement, 0) > 0)
        *id = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return BOUGH_OK;
}

/* "CHUNKS TRIALS" */
static bool parse_seal(const char *text, store_seal *seal) {
    char *after, *end;
    seal->chunks = strtoull(text, &after, 10);
    seal->trials = strtoull(after, &end, 10);
    return after > text && end > after && !*end;
}

/* *known: the seal is valid. */
static bough_status read_seal(bough_store *s, bool *known, bough_error *error) {
    char *text;
    uint64_t most = 0;
    bough_status status = most_rows(s, &most, error);
    TRY(store_get_meta(s, "seal", &text, error));
    if (status) return status;
    *known = text && parse_seal(text, &s->seal) && s->seal.chunks <= most;
    free(text);
    if (*known) return BOUGH_OK;
    s->seal = (store_seal){0};
    status = largest_id(s, &s->seal.chunks, error);
    if (s->seal.chunks > most) s->seal.chunks = most;
    return status;
}

/* ---- layouts ---- */

static bough_status read_layout(bough_store *s, sqlite3_stmt *row, bool *whole, bough_error *error) {
    int64_t number = sqlite3_column_int64(row, 0);
    const char *rows = (const char *)sqlite3_column_text(row, 1);
    *whole = rows && number >= 0 && (uint64_t)number < s->book.count + HOLES &&
             sqlite3_column_int64(row, 2) == store_layout_sum((uint32_t)number, rows);
    return *whole ? layout_read(&s->book, (uint32_t)number, rows, error) : BOUGH_OK;
}

static bough_status read_layouts(bough_store *s, bool *sound, bough_error *error) {
    sqlite3_stmt *row;
    bough_status status = store_prepare(s, "SELECT id, rows, sum FROM layout ORDER BY id", &row, error);
    if (status) return status;
    int code = SQLITE_DONE;
    while (!status && (code = sqlite3_step(row)) == SQLITE_ROW) {
        bool whole;
        status = read_layout(s, row, &whole, error);
        if (!status && !whole) *sound = false;
    }
    if ((code & 0xff) == SQLITE_CORRUPT)
        *sound = false;
    else if (!status && code != SQLITE_DONE)
        status = store_fail(s, code, error);
    sqlite3_finalize(row);
    return store_named(s, status, error);
}

/* ---- chunks ---- */

static bough_status add_entry(bough_store *s, const chunk *c, int64_t id, bool lost, bough_error *error) {
    bough_status status = bough_grow(&s->entry, &s->capacity, s->entries + 1, sizeof *s->entry, error);
    if (status) return status;
    s->entry[s->entries++] = (store_entry){c->point, c->answer, c->first, chunk_count(c), id, lost};
    return BOUGH_OK;
}

/* Adds an entry for each sequence of valid, or lost, trials. */
static bough_status add_stretches(bough_store *s, const chunk *c, int64_t id, bough_error *error) {
    chunk_reader r = {.chunk = c, .book = &s->book};
    bough_status status = BOUGH_OK;
    bool more = chunk_next(&r);
    for (uint64_t from = 0; more && !status; from = r.next - 1) {
        bool whole = r.whole;
        while ((more = chunk_next(&r)) && r.whole == whole) continue;
        chunk part = chunk_slice(c, from, r.next - more - from);
        status = add_entry(s, &part, id, !whole, error);
    }
    return status;
}

static bough_status read_chunks(bough_store *s, bool *sound, bough_error *error) {
    bough_status status = BOUGH_OK;
    uint64_t trials = 0;
    for (uint64_t id = 1; id <= s->seal.chunks && !status; id++) {
        chunk c;
        bool found;
        size_t before = s->entries;
        status = store_get_chunk(s, (int64_t)id, &c, &found, error);
        if (status) break;
        if (found)
            status = add_stretches(s, &c, (int64_t)id, error);
        else if (c.directory)
            status = add_entry(s, &c, (int64_t)id, true, error);
        *sound = *sound && found && s->entries == before + 1 && !s->entry[before].lost;
        for (size_t i = before; i < s->entries; i++) trials += s->entry[i].lost ? 0 : s->entry[i].count;
    }
    sqlite3_reset(s->get_chunk);
    if (trials != s->seal.trials) *sound = false;
    return status;
}

static int by_place(const void *a, const void *b) {
    const store_entry *p = a, *q = b;
    if (p->point != q->point) return p->point < q->point ? -1 : 1;
    if (p->answer != q->answer) return p->answer < q->answer ? -1 : 1;
    if (p->first != q->first) return p->first < q->first ? -1 : 1;
    return (p->id > q->id) - (p->id < q->id);
}

const store_entry *store_find(const bough_store *s, answer_place place, uint64_t trial) {
    const store_entry wanted = {.point = place.point, .answer = place.answer, .first = trial};
    size_t low = 0, high = s->entries;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_place(&s->entry[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const store_entry *e = low < s->entries ? &s->entry[low] : NULL;
    return e && e->point == place.point && e->answer == place.answer ? e : NULL;
}

/* ---- lost trials ---- */

enum { NAMED = 3 }; /* places listed in the line; others are only counted */

typedef struct losses {
    const bough_study *study;
    bough_text text;
    uint64_t trials, places;
} losses;

/* Trials from .. to - 1 of the answer of e are lost. */
static void lose(losses *l, const store_entry *e, uint64_t from, uint64_t to) {
    char label[128], range[64];
    if (from >= to || e->point >= l->study->points || e->answer >= l->study->point[e->point].answers) return;
    l->trials += to - from;
    if (++l->places > NAMED) return;
    const bough_study_point *p = &l->study->point[e->point];
    point_label(l->study, p, label, sizeof label);
    if (to - from == 1)
        snprintf(range, sizeof range, "trial %" PRIu64, from);
    else
        snprintf(range, sizeof range, "trials %" PRIu64 " to %" PRIu64, from, to - 1);
    bough_text_printf(&l->text, "%s%s of %.100s%s%s", l->places > 1 ? ", " : "", range,
                      p->answer[e->answer].method, *label ? " at " : "", label);
}

/* Finds the gaps between the entries of every answer; with `claims` also those after the last one, as far as
 * damaged rows indicate. */
static void find_losses(const bough_store *s, bool claims, losses *l) {
    for (size_t i = 0, end; i < s->entries; i = end) {
        const store_entry *first = &s->entry[i];
        uint64_t at = 0, to = 0;
        for (end = i; end < s->entries; end++) {
            const store_entry *e = &s->entry[end];
            if (e->point != first->point || e->answer != first->answer) break;
            uint64_t stop = e->first <= BOUGH_TRIALS_MAX ? e->first + e->count : 0;
            if (stop > to) to = stop;
            if (e->lost) continue;
            lose(l, first, at, e->first);
            if (stop > at) at = stop;
        }
        if (claims) lose(l, first, at, to);
    }
}

static bough_status describe_losses(bough_store *s, const losses *l, bool sealed, uint64_t missing,
                                    bough_error *error) {
    bough_text out = {0};
    if (l->text.failed) return bough_fail_memory(error, l->text.length);
    if (missing)
        bough_text_printf(&out, "%" PRIu64 " trial%s lost", missing, missing == 1 ? " is" : "s are");
    else
        bough_text_put(&out, sealed ? "no trial is lost" : "the number of its trials cannot be read");
    if (l->places)
        bough_text_printf(&out, " (%s%s)", l->text.data,
                          l->places > NAMED || missing > l->trials ? ", and others" : "");
    free(s->damage);
    return bough_text_finish(&out, &s->damage, error);
}

/* expected: number of trials in the seal; NULL: it is damaged. */
static bough_status describe(bough_store *s, const bough_study *study, const uint64_t *expected, bool sound,
                             bough_error *error) {
    losses l = {.study = study};
    uint64_t kept = 0;
    for (size_t i = 0; i < s->entries; i++) kept += s->entry[i].lost ? 0 : s->entry[i].count;
    uint64_t missing = expected && *expected > kept ? *expected - kept : 0;
    find_losses(s, true, &l);
    if (missing && l.trials > missing) { /* the position in a damaged row is unreliable */
        bough_text_fini(&l.text);
        l = (losses){.study = study};
        find_losses(s, false, &l);
    }
    if (missing < l.trials) missing = l.trials;
    bough_status status = missing || !sound ? describe_losses(s, &l, expected, missing, error) : BOUGH_OK;
    bough_text_fini(&l.text);
    return status;
}

/* Checks the structure that later writes of SQLite depend on. Running out of memory here is not a sign of
 * damage. */
static bough_status check_pages(const bough_store *s, bool *sound, bough_error *error) {
    sqlite3_stmt *statement;
    *sound = false;
    bough_status status = store_prepare(s, "PRAGMA quick_check(1)", &statement, error);
    if (status) return status == BOUGH_NO_MEMORY || status == BOUGH_IO ? status : BOUGH_OK;
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const char *said = (const char *)sqlite3_column_text(statement, 0);
        if (!said || strcmp(said, "out of memory") == 0)
            status = bough_fail_memory(error, 0);
        else
            *sound = strcmp(said, "ok") == 0;
    } else if ((code & 0xff) == SQLITE_NOMEM || (code & 0xff) == SQLITE_IOERR) {
        status = store_fail(s, code, error);
    }
    sqlite3_finalize(statement);
    return status;
}

bough_status store_scan(bough_store *s, const bough_study *study, bool *sound, bough_error *error) {
    bool known = false;
    *sound = true;
    bough_status status = s->lock < 0 ? BOUGH_OK : check_pages(s, sound, error);
    TRY(store_execute(s, "BEGIN", error)); /* one consistent snapshot */
    TRY(read_seal(s, &known, error));
    uint64_t expected = s->seal.trials;
    TRY(read_layouts(s, sound, error));
    TRY(read_chunks(s, sound, error));
    TRY(store_execute(s, "COMMIT", error));
    if (status) return status;
    *sound = *sound && known;
    if (s->entries) qsort(s->entry, s->entries, sizeof *s->entry, by_place);
    return describe(s, study, known ? &expected : NULL, *sound, error);
}
