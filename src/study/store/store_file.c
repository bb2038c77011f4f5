/* clang-format off */
/* The SQLite file of a store:
 *
 *   meta    key, value, sum  question: points, answers, seed; view: extent and presentation (study_json.h);
 *                            seal: numbers of chunks and trials
 *   layout  id, rows, sum    lists of metrics and indices (store_record.h)
 *   chunk   id, point, answer, first, sum, directory, data
 *                            consecutive trials of an answer (trial_chunk.h)
 *
 * SQLite keeps its pages consistent, but has no checksums: sum is the CRC-32 of the contents of a row. Chunks
 * have the ids 1, 2, 3, ... and no separate index that could disagree with the table.
 *
 * SQLite settings: a rollback journal, because it works on network file systems, unlike WAL;
 * synchronous=FULL, so that a commit survives a power failure, which is cheap at two commits a second. */
/* clang-format on */
#include "base/memory/memory.h"
#include "base/status/system_error.h"
#include "base/status/try.h"
#include "study/store/store_state.h"
#include "study/store/study_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { APPLICATION_ID = 0x626f7567, SCHEMA = 3, BUSY_MS = 60000 };
#define DO_AGAIN "remove it and run the study again"

bough_status store_make(bough_store **out, const char *directory, const char *file, bough_error *error) {
    bough_text text = {0};
    bough_status status = bough_alloc(out, 1, sizeof **out, error);
    if (status) return status;
    (*out)->lock = -1;
    bough_text_printf(&text, "%s%s", directory, file);
    (*out)->path = bough_text_take(&text);
    return (*out)->path ? BOUGH_OK : bough_fail_memory(error, strlen(directory));
}

/* ---- SQL ---- */

bough_status store_fail(const bough_store *s, int code, bough_error *error) {
    switch (code & 0xff) {
    case SQLITE_FULL:
        return bough_fail(error, BOUGH_IO, s->path,
                          "the disk is full; free some space and run the same command again to continue");
    case SQLITE_NOTADB:
        return bough_fail(error, BOUGH_INVALID, s->path,
                          "is not a result file of bough, or is damaged; if it is one, " DO_AGAIN);
    case SQLITE_CORRUPT:
        return bough_fail(error, BOUGH_FAILED, s->path, "is damaged; " DO_AGAIN);
    case SQLITE_IOERR: {
        int reason = s->db ? sqlite3_system_errno(s->db) : 0;
        return bough_fail(error, BOUGH_IO, s->path, "cannot be read or written: %s",
                          reason ? strerror(reason) : "an input/output error");
    }
    case SQLITE_NOMEM:
        return bough_fail_memory(error, 0);
    default:
        return bough_fail(error, BOUGH_IO, s->path, "%s",
                          s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(code));
    }
}

bough_status store_named(const bough_store *s, bough_status status, bough_error *error) {
    if (status && error && !*error->place) snprintf(error->place, sizeof error->place, "%s", s->path);
    return status;
}

bough_status store_execute(const bough_store *s, const char *sql, bough_error *error) {
    int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? BOUGH_OK : store_fail(s, code, error);
}

/* The statements are correct, so an error of SQLite here means a damaged schema. */
bough_status store_prepare(const bough_store *s, const char *sql, sqlite3_stmt **statement,
                           bough_error *error) {
    int code = sqlite3_prepare_v2(s->db, sql, -1, statement, NULL);
    if (code == SQLITE_OK) return BOUGH_OK;
    return store_fail(s, code == SQLITE_ERROR ? SQLITE_CORRUPT : code, error);
}

/* Runs a statement that returns nothing. */
static bough_status step(const bough_store *s, sqlite3_stmt *statement, bough_error *error) {
    int code = sqlite3_step(statement);
    bough_status status = code == SQLITE_DONE ? BOUGH_OK : store_fail(s, code, error);
    sqlite3_reset(statement);
    return status;
}

bough_status store_pragma(const bough_store *s, const char *name, int64_t *value, bough_error *error) {
    char sql[64];
    sqlite3_stmt *statement;
    snprintf(sql, sizeof sql, "PRAGMA %s", name);
    bough_status status = store_prepare(s, sql, &statement, error);
    if (status) return status;
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *value = sqlite3_column_int64(statement, 0);
    else
        status = store_fail(s, code, error);
    sqlite3_finalize(statement);
    return status;
}

/* ---- meta ---- */

static uint32_t meta_sum(const char *key, const char *value, size_t length) {
    uLong sum = crc32_z(0, (const unsigned char *)key, strlen(key) + 1);
    return (uint32_t)crc32_z(sum, (const unsigned char *)value, length);
}

bough_status store_get_meta(const bough_store *s, const char *key, char **value, bough_error *error) {
    sqlite3_stmt *statement;
    *value = NULL;
    bough_status status = store_prepare(s, "SELECT value, sum FROM meta WHERE key = ?", &statement, error);
    if (status) return status;
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        size_t length = text ? (size_t)sqlite3_column_bytes(statement, 0) : 0;
        bool whole = text && strlen(text) == length &&
                     sqlite3_column_int64(statement, 1) == meta_sum(key, text, length);
        if (whole) *value = bough_strdup(text);
        if (whole && !*value) status = bough_fail_memory(error, length);
    } else if (code != SQLITE_DONE) {
        status = store_fail(s, code, error);
    }
    sqlite3_finalize(statement);
    return status;
}

bough_status store_put_meta(const bough_store *s, const char *key, char *text, bough_error *error) {
    if (!text && errno == ENOMEM) return bough_fail_memory(error, 0);
    if (!text)
        return bough_fail(error, BOUGH_INVALID, s->path, "the study cannot be stored: a spec is not UTF-8");
    sqlite3_stmt *statement;
    bough_status status = store_prepare(s, "INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", &statement, error);
    if (!status) {
        sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, text, -1, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 3, meta_sum(key, text, strlen(text)));
        status = step(s, statement, error);
        sqlite3_finalize(statement);
    }
    free(text);
    return status;
}

bough_status store_put_seal(bough_store *s, bough_error *error) {
    bough_text text = {0};
    bough_text_printf(&text, "%" PRIu64 " %" PRIu64, s->seal.chunks, s->seal.trials);
    return store_put_meta(s, "seal", bough_text_take(&text), error);
}

/* ---- layouts and chunks ---- */

uint32_t store_layout_sum(uint32_t number, const char *rows) {
    const unsigned char b[] = {(unsigned char)number, (unsigned char)(number >> 8),
                               (unsigned char)(number >> 16), (unsigned char)(number >> 24)};
    return (uint32_t)crc32_z(crc32_z(0, b, sizeof b), (const unsigned char *)rows, strlen(rows));
}

bough_status store_put_layout(bough_store *s, uint32_t number, bough_error *error) {
    bough_text rows = {0};
    bough_text_put(&rows, "");
    layout_write(&s->book, number, &rows);
    bough_status status = rows.failed ? bough_fail_memory(error, rows.length) : BOUGH_OK;
    if (!status) {
        sqlite3_bind_int64(s->put_layout, 1, number);
        /* SQLITE_STATIC avoids a copy that could fail */
        sqlite3_bind_text(s->put_layout, 2, rows.data, -1, SQLITE_STATIC);
        sqlite3_bind_int64(s->put_layout, 3, store_layout_sum(number, rows.data));
        status = step(s, s->put_layout, error);
    }
    bough_text_fini(&rows);
    return status;
}

bough_status store_put_chunk(bough_store *s, const chunk *c, bough_error *error) {
    const uint64_t id = s->seal.chunks + 1;
    sqlite3_bind_int64(s->put_chunk, 1, (sqlite3_int64)id);
    sqlite3_bind_int64(s->put_chunk, 2, (sqlite3_int64)c->point);
    sqlite3_bind_int64(s->put_chunk, 3, (sqlite3_int64)c->answer);
    sqlite3_bind_int64(s->put_chunk, 4, (sqlite3_int64)c->first);
    sqlite3_bind_int64(s->put_chunk, 5, chunk_sum(c));
    sqlite3_bind_blob64(s->put_chunk, 6, c->directory, c->directory_size, SQLITE_STATIC);
    sqlite3_bind_blob64(s->put_chunk, 7, c->data, c->data_size, SQLITE_STATIC);
    bough_status status = step(s, s->put_chunk, error);
    if (status) return status;
    s->seal.chunks++;
    s->seal.trials += chunk_count(c);
    return BOUGH_OK;
}

bough_status store_get_chunk(bough_store *s, int64_t id, chunk *c, bool *found, bough_error *error) {
    sqlite3_stmt *row = s->get_chunk;
    *c = (chunk){0};
    *found = false;
    sqlite3_reset(row);
    sqlite3_bind_int64(row, 1, id);
    int code = sqlite3_step(row);
    if (code == SQLITE_DONE || (code & 0xff) == SQLITE_CORRUPT) return BOUGH_OK;
    if (code != SQLITE_ROW) return store_fail(s, code, error);
    c->point = (uint64_t)sqlite3_column_int64(row, 0);
    c->answer = (uint64_t)sqlite3_column_int64(row, 1);
    c->first = (uint64_t)sqlite3_column_int64(row, 2);
    c->directory = sqlite3_column_blob(row, 4);
    c->directory_size = (size_t)sqlite3_column_bytes(row, 4);
    const unsigned char *data = sqlite3_column_blob(row, 5);
    c->data = data ? data : (const unsigned char *)"";
    c->data_size = data ? (size_t)sqlite3_column_bytes(row, 5) : 0;
    *found = c->directory && chunk_count(c) > 0 && c->first <= BOUGH_TRIALS_MAX &&
             sqlite3_column_int64(row, 3) == chunk_sum(c);
    return BOUGH_OK;
}

/* ---- opening ---- */

static bough_status check_format(const bough_store *s, bool *empty, bough_error *error) {
    int64_t id = 0, schema = 0, pages = 0;
    bough_status status = store_pragma(s, "application_id", &id, error);
    TRY(store_pragma(s, "user_version", &schema, error));
    TRY(store_pragma(s, "page_count", &pages, error));
    if (status) return status;
    *empty = id == 0 && pages == 0;
    if (!*empty && id != APPLICATION_ID)
        return bough_fail(error, BOUGH_INVALID, s->path, "is not a result file of bough");
    if (!*empty && schema != SCHEMA)
        return bough_fail(error, BOUGH_INVALID, s->path,
                          "was written by another version of bough (schema %lld, this one has %d)",
                          (long long)schema, SCHEMA);
    return BOUGH_OK;
}

bough_status store_connect(bough_store *s, int flags, bool *empty, bough_error *error) {
    if (access(s->path, R_OK) != 0 && errno == EACCES) /* SQLite does not say why */
        return bough_fail_system(error, s->path, "cannot be opened", errno);
    int code = sqlite3_open_v2(s->path, &s->db, flags, NULL);
    if (code != SQLITE_OK) return store_fail(s, code, error);
    sqlite3_busy_timeout(s->db, BUSY_MS);
    return check_format(s, empty, error);
}

void store_disconnect(bough_store *s) {
    sqlite3_finalize(s->put_chunk);
    sqlite3_finalize(s->put_layout);
    sqlite3_finalize(s->get_chunk);
    sqlite3_close(s->db); /* rolls back an open transaction */
    s->put_chunk = s->put_layout = s->get_chunk = NULL;
    s->db = NULL;
}

bough_status store_prepare_all(bough_store *s, bough_error *error) {
    bough_status status =
        store_prepare(s, "INSERT OR REPLACE INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?)", &s->put_chunk, error);
    TRY(store_prepare(s, "INSERT OR REPLACE INTO layout VALUES (?, ?, ?)", &s->put_layout, error));
    TRY(store_prepare(s, "SELECT point, answer, first, sum, directory, data FROM chunk WHERE id = ?",
                      &s->get_chunk, error));
    return status;
}

/* One transaction: an interrupted creation leaves an empty file, which is treated as no file. */
bough_status store_create_tables(bough_store *s, const bough_study *study, bough_error *error) {
    bough_status status = store_execute(
        s,
        "BEGIN IMMEDIATE;"
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID;"
        "CREATE TABLE layout (id INTEGER PRIMARY KEY, rows TEXT NOT NULL, sum INTEGER NOT NULL);"
        "CREATE TABLE chunk (id INTEGER PRIMARY KEY, point INTEGER NOT NULL, answer INTEGER NOT NULL,"
        " first INTEGER NOT NULL, sum INTEGER NOT NULL, directory BLOB NOT NULL, data BLOB NOT NULL);"
        "PRAGMA application_id = 1651471719; PRAGMA user_version = 3",
        error);
    TRY(store_put_meta(s, "question", question_write(study), error));
    TRY(store_put_meta(s, "view", view_write(study), error));
    TRY(store_put_seal(s, error));
    return status ? status : store_execute(s, "COMMIT", error);
}
