/* The store: one SQLite file.
 *
 *   meta    key, value       question: what is asked (skeleton.h); view: how much of it, and how to show it
 *   layout  id, rows         lists of metrics and indices (record.h)
 *   chunk   point, answer, first, count, data
 *                            trials first .. first+count-1 of an answer, one after the other
 *
 * Only trials whose predecessors are all there are written, so the trials of an answer are always 0 .. k-1
 * for some k: nothing can be lost in between or counted twice. Trials are collected in chunks, and a
 * transaction is committed about twice a second (a trial that takes longer is committed at once), so the cost
 * of a commit does not depend on how small the trials are.
 *
 * SQLite settings: a rollback journal, because it works on network file systems, where WAL does not;
 * synchronous=FULL, so that a commit outlives a power cut too, which is cheap at two commits a second.
 * Another process may read meanwhile; a lock file keeps a second writer out for the whole run, which the
 * locks of SQLite, held for a transaction each, would not.
 */
#include "study/store.h"

#include "base/memory.h"
#include "base/text.h"
#include "study/record.h"
#include "study/skeleton.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { APPLICATION_ID = 0x626f7567, SCHEMA = 2, CHUNK_BYTES = 256 << 10, BUSY_MS = 60000 };
static const double COMMIT_SECONDS = 0.5;

struct bough_store {
    sqlite3 *db;
    sqlite3_stmt *put_chunk, *put_layout, *get_chunks;
    char *path; /* of the file */
    int lock;   /* descriptor of the lock file; -1: only read */
    layout_book book;
    /* the chunk that is being collected */
    size_t point, answer;
    uint64_t first, count;
    bough_text data;
    bool open; /* a transaction */
    double committed;
};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bough_status sql_error(const bough_store *s, int code, bough_error *error) {
    switch (code & 0xff) {
    case SQLITE_FULL:
        return bough_fail(
            error, BOUGH_IO, s->path,
            "the disk is full; free some space and run the same command again, it goes on where it stopped");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return bough_fail(error, BOUGH_INVALID, s->path, "is no store of bough, or is damaged");
    case SQLITE_NOMEM:
        return bough_fail_memory(error, 0);
    default:
        return bough_fail(error, BOUGH_IO, s->path, "%s",
                          s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(code));
    }
}

static bough_status execute(const bough_store *s, const char *sql, bough_error *error) {
    int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? BOUGH_OK : sql_error(s, code, error);
}

static bough_status prepare(const bough_store *s, const char *sql, sqlite3_stmt **statement,
                            bough_error *error) {
    int code = sqlite3_prepare_v2(s->db, sql, -1, statement, NULL);
    return code == SQLITE_OK ? BOUGH_OK : sql_error(s, code, error);
}

/* Runs a statement that returns nothing. */
static bough_status step(const bough_store *s, sqlite3_stmt *statement, bough_error *error) {
    int code = sqlite3_step(statement);
    bough_status status = code == SQLITE_DONE ? BOUGH_OK : sql_error(s, code, error);
    sqlite3_reset(statement);
    return status;
}

/* ---- writing trials ---- */

static bough_status begin(bough_store *s, bough_error *error) {
    if (s->open) return BOUGH_OK;
    bough_status status = execute(s, "BEGIN IMMEDIATE", error);
    s->open = !status;
    return status;
}

static bough_status put_layout(bough_store *s, uint32_t number, bough_error *error) {
    bough_text rows = {0};
    layout_write(&s->book, number, &rows);
    bough_status status = rows.failed ? bough_fail_memory(error, rows.length) : begin(s, error);
    if (!status) {
        sqlite3_bind_int64(s->put_layout, 1, number);
        sqlite3_bind_text(s->put_layout, 2, rows.data ? rows.data : "", -1,
                          SQLITE_STATIC); /* no copy that could fail */
        status = step(s, s->put_layout, error);
    }
    bough_text_fini(&rows);
    return status;
}

static bough_status put_chunk(bough_store *s, bough_error *error) {
    if (s->count == 0) return BOUGH_OK;
    bough_status status = s->data.failed ? bough_fail_memory(error, s->data.length) : begin(s, error);
    if (status) return status;
    sqlite3_bind_int64(s->put_chunk, 1, (sqlite3_int64)s->point);
    sqlite3_bind_int64(s->put_chunk, 2, (sqlite3_int64)s->answer);
    sqlite3_bind_int64(s->put_chunk, 3, (sqlite3_int64)s->first);
    sqlite3_bind_int64(s->put_chunk, 4, (sqlite3_int64)s->count);
    sqlite3_bind_blob(s->put_chunk, 5, s->data.data, (int)s->data.length, SQLITE_STATIC);
    status = step(s, s->put_chunk, error);
    s->count = 0;
    s->data.length = 0;
    return status;
}

bough_status store_commit(bough_store *s, bough_error *error) {
    bough_status status = put_chunk(s, error);
    if (!status && s->open) status = execute(s, "COMMIT", error);
    if (status && s->open) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    s->open = false;
    s->committed = seconds();
    return status;
}

bough_status store_append(bough_store *s, size_t point, size_t answer, uint64_t trial, const bough_rows *rows,
                          bough_error *error) {
    bough_status status = BOUGH_OK;
    uint32_t number;
    bool is_new;
    if (s->count && (s->point != point || s->answer != answer || s->data.length >= CHUNK_BYTES))
        status = put_chunk(s, error);
    if (!status) status = layout_find(&s->book, rows, &number, &is_new, error);
    if (!status && is_new) status = put_layout(s, number, error);
    if (status) return status;
    if (s->count == 0) {
        s->point = point;
        s->answer = answer;
        s->first = trial;
    }
    record_write(&s->data, number, rows);
    s->count++;
    return seconds() - s->committed >= COMMIT_SECONDS ? store_commit(s, error) : BOUGH_OK;
}

/* ---- reading trials ---- */

/* The layouts that the book does not have yet. */
static bough_status read_layouts(bough_store *s, bough_error *error) {
    sqlite3_stmt *statement;
    bough_status status =
        prepare(s, "SELECT id, rows FROM layout WHERE id >= ? ORDER BY id", &statement, error);
    if (status) return status;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)s->book.count);
    int code = SQLITE_DONE;
    while (!status && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *rows = (const char *)sqlite3_column_text(statement, 1);
        status = layout_read(&s->book, (uint32_t)sqlite3_column_int64(statement, 0), rows ? rows : "", error);
    }
    if (!status && code != SQLITE_DONE) status = sql_error(s, code, error);
    sqlite3_finalize(statement);
    return status;
}

static bough_status replay_chunk(bough_store *s, uint64_t *trial, tally *t, bough_rows *rows,
                                 bough_error *error) {
    sqlite3_int64 first = sqlite3_column_int64(s->get_chunks, 0),
                  count = sqlite3_column_int64(s->get_chunks, 1);
    const unsigned char *at = sqlite3_column_blob(s->get_chunks, 2);
    const unsigned char *end = at ? at + sqlite3_column_bytes(s->get_chunks, 2) : at;
    if (first < 0 || (uint64_t)first != *trial)
        return bough_fail(error, BOUGH_FAILED, s->path,
                          "the store is damaged: trials are missing or there twice");
    for (; count > 0 && !t->done; count--) {
        bough_status status = record_read(&s->book, &at, end, rows, error);
        if (!status) status = tally_add(t, rows, error);
        if (status) return status;
        ++*trial;
    }
    return BOUGH_OK;
}

bough_status store_replay(bough_store *s, size_t point, size_t answer, tally *t, bough_error *error) {
    bough_rows rows = {0};
    bough_status status = BOUGH_OK;
    uint64_t trial = 0;
    int code = SQLITE_ROW;
    sqlite3_bind_int64(s->get_chunks, 1, (sqlite3_int64)point);
    sqlite3_bind_int64(s->get_chunks, 2, (sqlite3_int64)answer);
    while (!status && !t->done && (code = sqlite3_step(s->get_chunks)) == SQLITE_ROW) {
        /* Who only reads may see trials that came after the store was opened, and layouts with them. */
        if (trial == 0 && s->lock < 0) status = read_layouts(s, error);
        if (!status) status = replay_chunk(s, &trial, t, &rows, error);
    }
    if (!status && code != SQLITE_ROW && code != SQLITE_DONE) status = sql_error(s, code, error);
    sqlite3_reset(s->get_chunks);
    bough_rows_fini(&rows);
    return status;
}

/* ---- opening ---- */

/* As with files: a wrong name is the caller's to mend. */
static bough_status cannot_make(const char *path, int reason, bough_error *error) {
    bool disk = reason == ENOSPC || reason == EDQUOT || reason == EIO;
    return bough_fail(error, disk ? BOUGH_IO : BOUGH_INVALID, path, "cannot be made: %s", strerror(reason));
}

/* "a/b/c": makes a, a/b and a/b/c. */
static bough_status make_directories(const char *path, bough_error *error) {
    char *copy = bough_strdup(path);
    if (!copy) return bough_fail_memory(error, strlen(path));
    bough_status status = BOUGH_OK;
    for (char *c = copy + 1; !status; c++) {
        if (*c && *c != '/') continue;
        char kept = *c;
        *c = 0;
        struct stat info;
        if (mkdir(copy, 0777) != 0 && (errno != EEXIST || stat(copy, &info) != 0 || !S_ISDIR(info.st_mode)))
            status = cannot_make(copy, errno, error);
        *c = kept;
        if (!kept) break;
    }
    free(copy);
    return status;
}

static bough_status take_lock(bough_store *s, const char *directory, bough_error *error) {
    bough_text path = {0};
    bough_text_printf(&path, "%s/results.lock", directory);
    char *name = bough_text_take(&path);
    if (!name) return bough_fail_memory(error, strlen(directory));
    bough_status status = BOUGH_OK;
    s->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->lock < 0)
        status = bough_fail(error, BOUGH_IO, name, "cannot be opened: %s", strerror(errno));
    else if (flock(s->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        status =
            bough_fail(error, BOUGH_INVALID, directory,
                       "another process is working on these results; wait for it, or choose another --out");
    free(name);
    return status;
}

static bough_status open_file(bough_store *s, int flags, bough_error *error) {
    int code = sqlite3_open_v2(s->path, &s->db, flags, NULL);
    if (code != SQLITE_OK) return sql_error(s, code, error);
    sqlite3_busy_timeout(s->db, BUSY_MS);
    return BOUGH_OK;
}

static bough_status pragma(const bough_store *s, const char *name, int64_t *value, bough_error *error) {
    char sql[64];
    sqlite3_stmt *statement;
    snprintf(sql, sizeof sql, "PRAGMA %s", name);
    bough_status status = prepare(s, sql, &statement, error);
    if (status) return status;
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *value = sqlite3_column_int64(statement, 0);
    else
        status = sql_error(s, code, error);
    sqlite3_finalize(statement);
    return status;
}

/* The text of a key in meta into *value (heap); NULL when there is none. */
static bough_status get_meta(const bough_store *s, const char *key, char **value, bough_error *error) {
    sqlite3_stmt *statement;
    *value = NULL;
    bough_status status = prepare(s, "SELECT value FROM meta WHERE key = ?", &statement, error);
    if (status) return status;
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        *value = bough_strdup(text ? text : "");
        if (!*value)
            status = bough_fail_memory(error, (unsigned long long)sqlite3_column_bytes(statement, 0));
    } else if (code != SQLITE_DONE) {
        status = sql_error(s, code, error);
    }
    sqlite3_finalize(statement);
    return status;
}

/* Takes over text; NULL is a failed allocation. */
static bough_status put_meta(const bough_store *s, const char *key, char *text, bough_error *error) {
    if (!text && errno == ENOMEM) return bough_fail_memory(error, 0);
    if (!text) return bough_fail(error, BOUGH_INVALID, NULL, "the study cannot be kept: a spec is not UTF-8");
    sqlite3_stmt *statement;
    bough_status status = prepare(s, "INSERT OR REPLACE INTO meta VALUES (?, ?)", &statement, error);
    if (!status) {
        sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, text, -1, SQLITE_STATIC);
        status = step(s, statement, error);
        sqlite3_finalize(statement);
    }
    free(text);
    return status;
}

static bough_status check_format(const bough_store *s, bool *empty, bough_error *error) {
    int64_t id = 0, schema = 0, tables = 0;
    bough_status status = pragma(s, "application_id", &id, error);
    if (!status) status = pragma(s, "user_version", &schema, error);
    if (!status) status = pragma(s, "page_count", &tables, error);
    if (status) return status;
    *empty = id == 0 && tables == 0;
    if (!*empty && id != APPLICATION_ID)
        return bough_fail(error, BOUGH_INVALID, s->path, "is no store of bough");
    if (!*empty && schema != SCHEMA)
        return bough_fail(error, BOUGH_INVALID, s->path,
                          "was written by another version of bough (schema %lld, this one has %d)",
                          (long long)schema, SCHEMA);
    return BOUGH_OK;
}

/* All in one transaction: an interrupted creation leaves an empty file, which counts as none. */
static bough_status create_tables(const bough_store *s, const bough_study *study, bough_error *error) {
    bough_status status =
        execute(s,
                "BEGIN IMMEDIATE;"
                "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
                "CREATE TABLE layout (id INTEGER PRIMARY KEY, rows TEXT NOT NULL);"
                "CREATE TABLE chunk (point INTEGER NOT NULL, answer INTEGER NOT NULL, first INTEGER NOT NULL,"
                " count INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (point, answer, first));"
                "PRAGMA application_id = 1651471719; PRAGMA user_version = 2",
                error);
    if (!status) status = put_meta(s, "question", question_write(study), error);
    if (!status) status = put_meta(s, "view", view_write(study), error);
    return status ? status : execute(s, "COMMIT", error);
}

static bough_status check_question(const bough_store *s, const bough_study *study, bough_error *error) {
    char *text, difference[256];
    bough_study old = {0};
    bough_status status = get_meta(s, "question", &text, error);
    if (!status && !text)
        status = bough_fail(error, BOUGH_FAILED, s->path, "the store is damaged: it holds no study");
    if (!status) status = question_read(text, &old, error);
    if (!status && question_differs(&old, study, difference, sizeof difference))
        status = bough_fail(
            error, BOUGH_INVALID, s->path,
            "holds the results of another study (%s); give this one another --out, or remove the file",
            difference);
    bough_study_fini(&old);
    free(text);
    return status ? status : put_meta(s, "view", view_write(study), error);
}

static bough_status prepare_all(bough_store *s, bough_error *error) {
    bough_status status = prepare(s, "INSERT INTO chunk VALUES (?, ?, ?, ?, ?)", &s->put_chunk, error);
    if (!status) status = prepare(s, "INSERT INTO layout VALUES (?, ?)", &s->put_layout, error);
    if (!status)
        status =
            prepare(s, "SELECT first, count, data FROM chunk WHERE point = ? AND answer = ? ORDER BY first",
                    &s->get_chunks, error);
    return status ? status : read_layouts(s, error);
}

static bough_status create(bough_store **out, const char *path, const char *file, bough_error *error) {
    bough_text text = {0};
    bough_status status = bough_alloc(out, 1, sizeof **out, error);
    if (status) return status;
    (*out)->lock = -1;
    bough_text_printf(&text, "%s%s", path, file);
    (*out)->path = bough_text_take(&text);
    (*out)->committed = seconds();
    return (*out)->path ? BOUGH_OK : bough_fail_memory(error, strlen(path));
}

bough_status bough_store_open(const char *directory, const bough_study *study, bough_store **out,
                              bough_error *error) {
    bool empty = false;
    *out = NULL;
    bough_store *s = NULL;
    bough_status status = make_directories(directory, error);
    if (!status) status = create(&s, directory, "/results.sqlite", error);
    if (!status) status = take_lock(s, directory, error);
    if (!status) status = open_file(s, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    if (!status) status = check_format(s, &empty, error);
    if (!status) status = execute(s, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL", error);
    if (!status) status = empty ? create_tables(s, study, error) : check_question(s, study, error);
    if (!status) status = prepare_all(s, error);
    if (status)
        bough_store_close(s);
    else
        *out = s;
    return status;
}

void bough_store_close(bough_store *s) {
    if (!s) return;
    sqlite3_finalize(s->put_chunk);
    sqlite3_finalize(s->put_layout);
    sqlite3_finalize(s->get_chunks);
    sqlite3_close(s->db); /* rolls an open transaction back */
    if (s->lock >= 0) close(s->lock);
    layout_book_fini(&s->book);
    bough_text_fini(&s->data);
    free(s->path);
    free(s);
}

/* ---- the results again ---- */

static bough_status load_study(bough_store *s, bough_study *study, bough_error *error) {
    char *question = NULL, *view = NULL;
    bool empty;
    bough_status status = check_format(s, &empty, error);
    if (!status && empty) status = bough_fail(error, BOUGH_INVALID, s->path, "holds no results yet");
    if (!status) status = get_meta(s, "question", &question, error);
    if (!status) status = get_meta(s, "view", &view, error);
    if (!status && (!question || !view))
        status = bough_fail(error, BOUGH_FAILED, s->path, "the store is damaged: it holds no study");
    if (!status) status = question_read(question, study, error);
    if (!status) status = view_read(view, study, error);
    if (!status) status = prepare_all(s, error);
    free(question);
    free(view);
    if (!status) {
        bough_study_options options = {.check_only = true, .store = s};
        status = bough_study_run(study, &options, error);
    }
    return status;
}

bough_status bough_store_load(const char *path, bough_study *study, bough_error *error) {
    struct stat info;
    bough_store *s = NULL;
    *study = (bough_study){0};
    if (stat(path, &info) != 0)
        return bough_fail(error, BOUGH_INVALID, path, "cannot be opened: %s", strerror(errno));
    bool directory = S_ISDIR(info.st_mode);
    bough_status status = create(&s, path, directory ? "/results.sqlite" : "", error);
    if (!status && directory && stat(s->path, &info) != 0)
        status = bough_fail(error, BOUGH_INVALID, path,
                            "holds no results.sqlite; give the directory of a `bough run`");
    if (!status)
        status = open_file(s, SQLITE_OPEN_READWRITE, error); /* a journal that a killed run left is undone */
    if (!status) status = load_study(s, study, error);
    bough_store_close(s);
    if (status) bough_study_fini(study);
    return status;
}
