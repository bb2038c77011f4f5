/* The store of trials. One SQLite file contains them (store_file.c).
 *
 * A trial is written only when all its predecessors are present. Trials are collected in chunks, and a
 * transaction is committed about twice a second (a trial that takes longer is committed at once), so the cost
 * of commits does not depend on the size of the trials.
 *
 * When a study is run again, damaged data (store_scan.c) is omitted from a new file (store_repair.c), and
 * missing trials are recomputed at their positions.
 *
 * Other processes may read at the same time. A lock file excludes a second writer for the whole run; the
 * locks of SQLite last for one transaction only. */
#include "study/store/store.h"

#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/status/system_error.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "study/store/store_state.h"
#include "study/store/study_json.h"
#include "study/trial_statistics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_BYTES = 256 << 10 };
static const double COMMIT_SECONDS = 0.5;

/* ---- writing trials ---- */

static bough_status begin(bough_store *s, bough_error *error) {
    if (s->open) return BOUGH_OK;
    bough_status status = store_execute(s, "BEGIN IMMEDIATE", error);
    s->open = !status;
    return status;
}

static bough_status put_chunk(bough_store *s, bough_error *error) {
    chunk_writer *w = &s->chunk;
    if (w->count == 0) return BOUGH_OK;
    bool failed = w->data.failed || w->directory.failed;
    bough_status status = failed ? bough_fail_memory(error, w->data.length) : begin(s, error);
    if (status) return status;
    chunk c = chunk_written(w);
    status = store_put_chunk(s, &c, error);
    w->count = 0;
    w->data.length = w->directory.length = 0;
    return status;
}

bough_status store_commit(bough_store *s, bough_error *error) {
    bough_status status = put_chunk(s, error);
    if (!status && s->open) status = store_put_seal(s, error);
    if (!status && s->open) status = store_execute(s, "COMMIT", error);
    if (status && s->open) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    s->open = false;
    s->committed = clock_seconds();
    return status;
}

static bough_status put_layout(bough_store *s, uint32_t number, bough_error *error) {
    bough_status status = begin(s, error);
    return status ? status : store_put_layout(s, number, error);
}

bough_status store_append(bough_store *s, answer_place place, uint64_t trial, const bough_rows *rows,
                          bough_error *error) {
    bough_status status = BOUGH_OK;
    uint32_t number;
    bool is_new;
    chunk_writer *w = &s->chunk;
    if (w->count && (w->point != place.point || w->answer != place.answer || w->first + w->count != trial ||
                     w->data.length >= CHUNK_BYTES))
        status = put_chunk(s, error);
    TRY(layout_find(&s->book, rows, &number, &is_new, error));
    if (!status && is_new) status = put_layout(s, number, error);
    if (status) return status;
    if (w->count == 0) {
        w->point = place.point;
        w->answer = place.answer;
        w->first = trial;
    }
    chunk_add(w, &s->book, number, rows);
    return clock_seconds() - s->committed >= COMMIT_SECONDS ? store_commit(s, error) : BOUGH_OK;
}

/* ---- reading trials ---- */

static bough_status damaged(const bough_store *s, uint64_t trial, bough_error *error) {
    return bough_fail(error, BOUGH_FAILED, s->path,
                      "is damaged (trial %llu of an answer); remove it and run the study again",
                      (unsigned long long)trial);
}

static bough_status replay_entry(bough_store *s, const store_entry *e, answer_stats *t, bough_rows *rows,
                                 bough_error *error) {
    chunk c;
    bool found;
    bough_status status = store_get_chunk(s, e->id, &c, &found, error);
    if (status) return status;
    if (!found || c.first != e->first || chunk_count(&c) != e->count) return damaged(s, e->first, error);
    chunk_reader r = {.chunk = &c, .book = &s->book};
    while (!status && !t->done && chunk_next(&r)) {
        const unsigned char *at = r.bytes, *end = r.bytes + r.length;
        if (r.whole) status = record_read(&s->book, &at, end, rows, error);
        if (status == BOUGH_NO_MEMORY) return status;
        if (status || at != end) return damaged(s, t->trials, error);
        status = answer_stats_add(t, rows, error);
    }
    return status;
}

bough_status store_replay(bough_store *s, answer_place place, answer_stats *t, bough_error *error) {
    bough_rows rows = {0};
    bough_status status = BOUGH_OK;
    while (!status && !t->done) {
        const store_entry *e = store_find(s, place, t->trials);
        if (!e || e->first != t->trials) break;
        status = replay_entry(s, e, t, &rows, error);
    }
    sqlite3_reset(s->get_chunk);
    bough_rows_fini(&rows);
    return status;
}

uint64_t store_next(const bough_store *s, answer_place place, uint64_t trial) {
    const store_entry *e = store_find(s, place, trial);
    return e ? e->first : 0;
}

/* ---- opening ---- */

/* "a/b/c": creates a, a/b and a/b/c. */
bough_status store_make_directories(const char *path, bough_error *error) {
    char *copy = bough_strdup(path);
    if (!copy) return bough_fail_memory(error, strlen(path));
    bough_status status = BOUGH_OK;
    for (char *c = copy + 1; !status; c++) {
        if (*c && *c != '/') continue;
        char kept = *c;
        *c = 0;
        struct stat info;
        if (mkdir(copy, 0777) != 0 && (errno != EEXIST || stat(copy, &info) != 0 || !S_ISDIR(info.st_mode)))
            status = bough_fail_system(error, copy, "cannot be created", errno);
        *c = kept;
        if (!kept) break;
    }
    free(copy);
    return status;
}

bough_status store_take_lock(bough_store *s, const char *directory, bough_error *error) {
    bough_text path = {0};
    bough_text_printf(&path, "%s/results.lock", directory);
    char *name = bough_text_take(&path);
    if (!name) return bough_fail_memory(error, strlen(directory));
    bough_status status = BOUGH_OK;
    s->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->lock < 0)
        status = bough_fail_system(error, name, "cannot be opened", errno);
    else if (flock(s->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        status = bough_fail(error, BOUGH_INVALID, directory,
                            "another process is writing these results; wait for it, or choose another --out");
    free(name);
    return status;
}

/* A shard is continued as that shard only: its store says which points it has. A damaged view does not say
 * so, and is replaced. old: the question of the store. */
static bough_status check_shard(const bough_store *s, bough_study *old, const bough_study *study,
                                bough_error *error) {
    char *text, held[32] = "the whole study";
    bough_status status = store_get_meta(s, "view", &text, error);
    bool known = !status && text && !view_read(text, old, NULL);
    if (old->shards) snprintf(held, sizeof held, "shard %u/%u", old->shard, old->shards);
    if (known && (old->shard != study->shard || old->shards != study->shards))
        status = bough_fail(error, BOUGH_INVALID, s->path,
                            "contains %s; give the same --shard, or choose another --out", held);
    free(text);
    return status;
}

static bough_status check_question(const bough_store *s, const bough_study *study, bough_error *error) {
    char *text, difference[256];
    bough_study old = {0};
    bough_status status = store_get_meta(s, "question", &text, error);
    if (!status && !text)
        status = bough_fail(error, BOUGH_FAILED, s->path,
                            "is damaged: the study in it cannot be read; remove it and run the study again");
    TRY(question_read(text, &old, error));
    if (!status && question_differs(&old, study, difference, sizeof difference))
        status =
            bough_fail(error, BOUGH_INVALID, s->path,
                       "contains the results of another study (%s); choose another --out, or remove the file",
                       difference);
    TRY(check_shard(s, &old, study, error));
    bough_study_fini(&old);
    free(text);
    return store_named(s, status, error);
}

static bough_status connect(bough_store *s, bool *empty, bough_error *error) {
    bough_status status = store_connect(s, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, empty, error);
    TRY(store_execute(s, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL", error));
    return status;
}

/* Opens the file that replaces the damaged one; the list of lost trials is kept. */
static bough_status repair(bough_store *s, const bough_study *study, bough_error *error) {
    bool empty, sound = false;
    char *damage = s->damage;
    s->damage = NULL;
    bough_status status = store_repair(s, study, error);
    layout_book_fini(&s->book);
    s->entries = 0;
    TRY(connect(s, &empty, error));
    TRY(store_prepare_all(s, error));
    TRY(store_scan(s, study, &sound, error));
    if (!status && !sound)
        status =
            bough_fail(error, BOUGH_IO, s->path, "is damaged again after a repair; the disk may be failing");
    free(s->damage);
    s->damage = damage;
    return status;
}

static bough_status refuse_unknown(const char *what, const bough_asked *asked, size_t count,
                                   const char *directory, bough_error *error) {
    for (size_t i = 0; i < count; i++)
        if (asked[i].hash == BOUGH_HASH_UNKNOWN)
            return bough_fail(
                error, BOUGH_INVALID, directory,
                "%s %s is a function of the program; a store cannot tell whether it has changed, "
                "so run without a store, or put it into a plug-in",
                what, asked[i].spec);
    return BOUGH_OK;
}

/* Results of code that may change unnoticed are not kept. */
static bough_status check_code(const char *directory, const bough_study *study, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < study->points; i++) {
        const bough_study_point *p = &study->point[i];
        TRY(refuse_unknown("traffic", &p->traffic, 1, directory, error));
        TRY(refuse_unknown("routing", p->routing, p->routings, directory, error));
        TRY(refuse_unknown("method", p->method, p->methods, directory, error));
    }
    return status;
}

bough_status bough_store_open(const char *directory, const bough_study *study, bough_store **out,
                              bough_error *error) {
    bool empty = false, sound = true;
    *out = NULL;
    bough_store *s = NULL;
    bough_status status = check_code(directory, study, error);
    TRY(store_make_directories(directory, error));
    TRY(store_make(&s, directory, "/results.sqlite", error));
    TRY(store_take_lock(s, directory, error));
    TRY(connect(s, &empty, error));
    TRY(empty ? store_create_tables(s, study, error) : check_question(s, study, error));
    TRY(store_prepare_all(s, error));
    TRY(store_scan(s, study, &sound, error));
    if (!status && !sound) status = repair(s, study, error);
    TRY(store_put_meta(s, "view", view_write(study), error));
    if (status) {
        bough_store_close(s);
        return status;
    }
    s->committed = clock_seconds();
    *out = s;
    return BOUGH_OK;
}

const char *bough_store_damage(const bough_store *s) {
    return s->damage;
}

void bough_store_close(bough_store *s) {
    if (!s) return;
    store_disconnect(s);
    if (s->lock >= 0) close(s->lock);
    layout_book_fini(&s->book);
    chunk_writer_fini(&s->chunk);
    FREE_ALL(s->entry, s->damage, s->path, s);
}

/* ---- loading results ---- */

/* INVALID also if the file is empty. */
static bough_status read_study(bough_store *s, bough_study *study, bough_error *error) {
    char *question = NULL, *view = NULL;
    bough_status status = store_get_meta(s, "question", &question, error);
    TRY(store_get_meta(s, "view", &view, error));
    if (!status && !question)
        status = bough_fail(error, BOUGH_FAILED, s->path,
                            "is damaged: the study in it cannot be read; remove it and run the study again");
    if (!status && !view)
        status = bough_fail(error, BOUGH_FAILED, s->path,
                            "is damaged: its presentation cannot be read; run the study again to repair it");
    TRY(question_read(question, study, error));
    TRY(view_read(view, study, error));
    FREE_ALL(question, view);
    return store_named(s, status, error);
}

static bough_status connect_whole(bough_store *s, bough_study *study, bough_error *error) {
    bool empty, sound;
    bough_status status = /* SQLite rolls back the journal of a killed run, which requires write access */
        store_connect(s, SQLITE_OPEN_READWRITE, &empty, error);
    if (!status && empty) status = bough_fail(error, BOUGH_INVALID, s->path, "contains no results yet");
    TRY(read_study(s, study, error));
    TRY(store_prepare_all(s, error));
    TRY(store_scan(s, study, &sound, error));
    if (!status && s->damage)
        status = bough_fail(error, BOUGH_FAILED, s->path,
                            "is damaged: %.500s; run the study again to recompute lost trials", s->damage);
    return status;
}

bough_status store_open_whole(const char *path, bough_study *study, bough_store **out, bough_error *error) {
    struct stat info;
    *study = (bough_study){0};
    *out = NULL;
    if (stat(path, &info) != 0) return bough_fail_system(error, path, "cannot be opened", errno);
    bool directory = S_ISDIR(info.st_mode);
    bough_status status = store_make(out, path, directory ? "/results.sqlite" : "", error);
    if (!status && directory && stat((*out)->path, &info) != 0 && errno != ENOENT)
        status = bough_fail_system(error, path, "cannot be opened", errno);
    else if (!status && directory && stat((*out)->path, &info) != 0)
        status = bough_fail(error, BOUGH_INVALID, path,
                            "contains no results.sqlite; give the directory of a `bough run`");
    TRY(connect_whole(*out, study, error));
    return status;
}

bough_status bough_store_load(const char *path, bough_study *study, bough_error *error) {
    return bough_store_load_asked(path, NULL, study, error);
}

bough_status bough_store_load_asked(const char *path, const bough_study *asked, bough_study *study,
                                    bough_error *error) {
    bough_store *s;
    bough_status status = store_open_whole(path, study, &s, error);
    if (asked) TRY(trial_statistics_copy(study, asked, error));
    TRY(trial_statistics_check(study, error));
    TRY(bough_study_run(study, &(bough_study_options){.check_only = true, .store = s}, error));
    bough_store_close(s);
    if (status) bough_study_fini(study);
    return status;
}
