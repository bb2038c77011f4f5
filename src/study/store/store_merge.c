/* Stores are joined answer by answer, trial by trial, in a new file, which gets its name when it is complete.
 */
#include "base/files/output.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "study/run/point_binding.h"
#include "study/store/finished_study.h"
#include "study/store/store_state.h"
#include "study/store/study_json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A store to join, and its place in the trials of the current answer. */
typedef struct source {
    const char *name;
    bough_store *store;
    bough_study study;
    chunk chunk;
    chunk_reader reader;
    uint64_t end; /* the trial after those of the chunk; 0: none is open */
    bough_rows rows;
} source;

typedef struct merger {
    source *source;
    size_t sources;
    bough_store *to;
} merger;

/* ---- opening ---- */

static bough_status check_source(const source *first, const source *other, bough_error *error) {
    char difference[256];
    if (question_differs(&first->study, &other->study, difference, sizeof difference))
        return bough_fail(error, BOUGH_INVALID, other->name, "contains another study than %s (%s)",
                          first->name, difference);
    if (!study_same_effort(&first->study.effort, &other->study.effort))
        return bough_fail(
            error, BOUGH_INVALID, other->name,
            "was run with another number of trials or another precision than %s; run it again with "
            "the same options, which reuses its trials",
            first->name);
    return BOUGH_OK;
}

static bough_status open_sources(merger *m, const char *const *name, size_t names, bough_error *error) {
    bough_status status = bough_alloc(&m->source, names, sizeof *m->source, error);
    for (size_t i = 0; i < names && !status; i++) {
        source *s = &m->source[i];
        m->sources = i + 1;
        s->name = name[i];
        status = store_open_whole(name[i], &s->study, &s->store, error);
        TRY(check_source(&m->source[0], s, error));
    }
    return status;
}

static void close_sources(merger *m) {
    for (size_t i = 0; i < m->sources; i++) {
        source *s = &m->source[i];
        if (s->store) sqlite3_reset(s->store->get_chunk);
        bough_store_close(s->store);
        bough_study_fini(&s->study);
        bough_rows_fini(&s->rows);
    }
    free(m->source);
}

/* ---- trials ---- */

/* Opens the chunk that starts with a trial, if there is one. */
static bough_status open_chunk(source *s, answer_place at, uint64_t trial, bough_error *error) {
    bool found = false;
    const store_entry *e = store_find(s->store, at, trial);
    s->end = 0;
    if (!e || e->first != trial) return BOUGH_OK;
    bough_status status = store_get_chunk(s->store, e->id, &s->chunk, &found, error);
    if (!status && (!found || s->chunk.first != trial))
        status = bough_fail(error, BOUGH_FAILED, s->store->path, "has changed while it was read");
    if (status) return status;
    s->reader = (chunk_reader){.chunk = &s->chunk, .book = &s->store->book};
    s->end = trial + chunk_count(&s->chunk);
    return BOUGH_OK;
}

/* Reads the next trial of an answer into s->rows; *any is false if the store does not have it. */
static bough_status read_trial(source *s, answer_place at, uint64_t trial, bool *any, bough_error *error) {
    bough_status status = BOUGH_OK;
    if (s->end <= trial) status = open_chunk(s, at, trial, error);
    *any = !status && s->end > trial && chunk_next(&s->reader);
    if (!*any) return status;
    const unsigned char *bytes = s->reader.bytes, *end = bytes + s->reader.length;
    if (!s->reader.whole)
        return bough_fail(error, BOUGH_FAILED, s->store->path, "has changed while it was read");
    return store_named(s->store, record_read(&s->store->book, &bytes, end, &s->rows, error), error);
}

/* NAN is the same as NAN, and 0 is not the same as -0. */
static bool same_bits(const double *a, const double *b) {
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): it is meant, as said above */
    return memcmp(a, b, sizeof *a) == 0;
}

static bool same_rows(const bough_rows *a, const bough_rows *b) {
    if (a->count != b->count || a->outcome != b->outcome || strcmp(a->note, b->note) != 0) return false;
    for (size_t i = 0; i < a->count; i++) {
        const bough_row *p = &a->row[i], *q = &b->row[i];
        if (p->metric != q->metric || p->index != q->index || !same_bits(&p->value, &q->value) ||
            !same_bits(&p->ci95, &q->ci95))
            return false;
    }
    return true;
}

static bough_status refuse_unequal(const merger *m, const source *s, answer_place at, uint64_t trial,
                                   bough_error *error) {
    char label[128];
    const bough_study *study = &m->source[0].study;
    const bough_study_point *p = &study->point[at.point];
    point_label(study, p, label, sizeof label);
    return bough_fail(error, BOUGH_INVALID, s->name,
                      "trial %llu of %.100s%s%s differs from that in another store: they were computed by "
                      "different versions of bough, or a file was changed",
                      (unsigned long long)trial, p->answer[at.answer].method, *label ? " at " : "", label);
}

/* Adds one trial; *any is false if no store has it. */
static bough_status merge_trial(merger *m, answer_place at, uint64_t trial, bool *any, bough_error *error) {
    const source *first = NULL;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < m->sources && !status; i++) {
        source *s = &m->source[i];
        bool has = false;
        if (trial && s->end == 0) continue; /* it has none of the answer, or no more */
        status = read_trial(s, at, trial, &has, error);
        if (status || !has) continue;
        if (first && !same_rows(&first->rows, &s->rows)) status = refuse_unequal(m, s, at, trial, error);
        if (!first) first = s;
    }
    *any = first != NULL;
    if (first) TRY(store_append(m->to, at, trial, &first->rows, error));
    return status;
}

static bough_status merge_answer(merger *m, answer_place at, bough_error *error) {
    bough_status status = BOUGH_OK;
    bool any = true;
    for (size_t i = 0; i < m->sources; i++) m->source[i].end = 0;
    for (uint64_t trial = 0; any && !status; trial++) status = merge_trial(m, at, trial, &any, error);
    return status;
}

/* ---- the new file ---- */

static bough_status write_merged(merger *m, const char *path, bough_error *error) {
    bough_study *study = &m->source[0].study;
    bool empty;
    study->shard = study->shards = 0; /* what is missing may be computed here */
    bough_status status = store_make(&m->to, path, "", error);
    TRY(store_connect(m->to, SQLITE_OPEN_READWRITE, &empty, error));
    TRY(store_execute(m->to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", error));
    TRY(store_create_tables(m->to, study, error));
    TRY(store_prepare_all(m->to, error));
    for (size_t i = 0; i < study->points && !status; i++)
        for (size_t k = 0; k < study->point[i].answers && !status; k++)
            status = merge_answer(m, (answer_place){i, k}, error);
    TRY(store_commit(m->to, error));
    bough_store_close(m->to);
    return status;
}

/* home: holds the name of the file and the lock. */
static bough_status write_file(merger *m, const bough_store *home, bough_error *error) {
    struct stat info;
    bough_output out;
    if (stat(home->path, &info) == 0)
        return bough_fail(error, BOUGH_INVALID, home->path, "exists already; choose another --out");
    bough_status status = bough_output_begin(home->path, &out, error);
    if (status) return status;
    status = write_merged(m, out.part, error);
    if (!status) return bough_output_end(&out, error);
    if (error && strcmp(error->place, out.part) == 0) *error->place = 0; /* that file is gone */
    bough_output_drop(&out);
    return store_named(home, status, error);
}

bough_status bough_store_merge(const char *directory, const char *const *store, size_t stores,
                               bough_error *error) {
    merger m = {0};
    bough_store *home = NULL;
    bough_status status = open_sources(&m, store, stores, error);
    TRY(store_make_directories(directory, error));
    TRY(store_make(&home, directory, "/results.sqlite", error));
    TRY(store_take_lock(home, directory, error));
    TRY(write_file(&m, home, error));
    bough_store_close(home);
    close_sources(&m);
    return status;
}
