/* What the parts of the store share: store_file (the SQLite file), store_scan (what it holds, and what of it
 * is damaged), store_repair, store (trials in and out). */
#ifndef BOUGH_STUDY_STORE_STORE_STATE_H
#define BOUGH_STUDY_STORE_STORE_STATE_H

#include "study/store/store.h"
#include "study/store/trial_chunk.h"

#include <sqlite3.h>

/* Trials first .. first + count - 1 of an answer: those that chunk `id` holds, or some of them. */
typedef struct store_entry {
    uint64_t point, answer, first, count;
    int64_t id;
    bool lost; /* damaged; where the whole chunk is, its place is only what the row says */
} store_entry;

/* How much the file holds, written with every commit: nothing can vanish unseen. */
typedef struct store_seal {
    uint64_t chunks, trials;
} store_seal;

struct bough_store {
    char *path; /* of the file */
    sqlite3 *db;
    sqlite3_stmt *put_chunk, *put_layout, *get_chunk;
    int lock; /* descriptor of the lock file; -1: only read */
    store_seal seal;
    layout_book book;
    store_entry *entry; /* by point, answer and first: what it held when it was opened */
    size_t entries, capacity;
    char *damage;       /* a line for a person; NULL: none */
    chunk_writer chunk; /* that is being collected */
    bool open;          /* a transaction */
    double committed;
};

/* ---- store_file.c ---- */

/* A store without a file yet. Errors: NO_MEMORY. */
bough_status store_make(bough_store **s, const char *directory, const char *file, bough_error *error);
/* Opens the file; *empty: there is nothing in it. Errors: INVALID when it is no store, or another schema. */
bough_status store_connect(bough_store *s, int flags, bool *empty, bough_error *error);
void store_disconnect(bough_store *s);
bough_status store_create_tables(bough_store *s, const bough_study *study, bough_error *error);
bough_status store_prepare_all(bough_store *s, bough_error *error);

bough_status store_fail(const bough_store *s, int code, bough_error *error);
/* Puts the file's name before an error that has none. Returns status. */
bough_status store_named(const bough_store *s, bough_status status, bough_error *error);
bough_status store_execute(const bough_store *s, const char *sql, bough_error *error);
bough_status store_prepare(const bough_store *s, const char *sql, sqlite3_stmt **statement,
                           bough_error *error);
bough_status store_pragma(const bough_store *s, const char *name, int64_t *value, bough_error *error);
/* The text of a key in meta (heap). NULL when there is none, or it is damaged. */
bough_status store_get_meta(const bough_store *s, const char *key, char **value, bough_error *error);
/* Takes over text; NULL is a failed allocation. */
bough_status store_put_meta(const bough_store *s, const char *key, char *text, bough_error *error);

bough_status store_put_layout(bough_store *s, uint32_t number, bough_error *error);
bough_status store_put_chunk(bough_store *s, const chunk *c, bough_error *error);
bough_status store_put_seal(bough_store *s, bough_error *error);
/* Row `id` into *c, which is valid until get_chunk is reset; *found: it is there and its sum is right. Where
 * only the sum is wrong, *c is filled all the same; else c->directory is NULL. */
bough_status store_get_chunk(bough_store *s, int64_t id, chunk *c, bool *found, bough_error *error);
uint32_t store_layout_sum(uint32_t number, const char *rows);

/* ---- store_scan.c ---- */

/* Reads seal, layouts and all chunks into s->seal, s->book and s->entry. *sound: everything is as it was
 * written. s->damage tells what is lost. */
bough_status store_scan(bough_store *s, const bough_study *study, bool *sound, bough_error *error);
/* The first entry of an answer that begins at trial or after it; NULL: none. */
const store_entry *store_find(const bough_store *s, size_t point, size_t answer, uint64_t trial);

/* ---- store_repair.c ---- */

/* Replaces the file by a new one that holds what is not damaged. */
bough_status store_repair(bough_store *s, const bough_study *study, bough_error *error);

#endif
