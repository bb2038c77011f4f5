/* State shared by the parts of the store: store_file (the SQLite file), store_scan (contents and damage),
 * store_repair, store (writing and reading trials). */
#ifndef BOUGH_STUDY_STORE_STORE_STATE_H
#define BOUGH_STUDY_STORE_STORE_STATE_H

#include "study/store/store.h"
#include "study/store/trial_chunk.h"

#include <sqlite3.h>

/* Trials first .. first + count - 1 of an answer: all or some of those in chunk `id`. */
typedef struct store_entry {
    uint64_t point, answer, first, count;
    int64_t id;
    bool lost; /* damaged; if the whole chunk is, its position is only a claim of the row */
} store_entry;

/* Totals of the file, written with every commit, so that missing rows are detected. */
typedef struct store_seal {
    uint64_t chunks, trials;
} store_seal;

struct bough_store {
    char *path; /* of the file */
    sqlite3 *db;
    sqlite3_stmt *put_chunk, *put_layout, *get_chunk;
    int lock; /* descriptor of the lock file; -1: read-only */
    store_seal seal;
    layout_book book;
    store_entry *entry; /* contents at the time of opening, by point, answer and first */
    size_t entries, capacity;
    char *damage;       /* a line for the user; NULL: none */
    chunk_writer chunk; /* the chunk under construction */
    bool open;          /* a transaction is open */
    double committed;
};

/* ---- store_file.c ---- */

/* Creates a store without a file. Errors: NO_MEMORY. */
bough_status store_make(bough_store **s, const char *directory, const char *file, bough_error *error);
/* Opens the file; *empty: it has no contents. Errors: INVALID if it is not a store, or has another schema. */
bough_status store_connect(bough_store *s, int flags, bool *empty, bough_error *error);
void store_disconnect(bough_store *s);
bough_status store_create_tables(bough_store *s, const bough_study *study, bough_error *error);
bough_status store_prepare_all(bough_store *s, bough_error *error);

bough_status store_fail(const bough_store *s, int code, bough_error *error);
/* Prefixes the file's name to an error without a place. Returns status. */
bough_status store_named(const bough_store *s, bough_status status, bough_error *error);
bough_status store_execute(const bough_store *s, const char *sql, bough_error *error);
bough_status store_prepare(const bough_store *s, const char *sql, sqlite3_stmt **statement,
                           bough_error *error);
bough_status store_pragma(const bough_store *s, const char *name, int64_t *value, bough_error *error);
/* The text of a key in meta (heap). NULL if there is none, or it is damaged. */
bough_status store_get_meta(const bough_store *s, const char *key, char **value, bough_error *error);
/* Takes ownership of text; NULL is a failed allocation. */
bough_status store_put_meta(const bough_store *s, const char *key, char *text, bough_error *error);

bough_status store_put_layout(bough_store *s, uint32_t number, bough_error *error);
bough_status store_put_chunk(bough_store *s, const chunk *c, bough_error *error);
bough_status store_put_seal(bough_store *s, bough_error *error);
/* Reads row `id` into *c, which is valid until get_chunk is reset; *found: it exists and its checksum is
 * correct. If only the checksum is wrong, *c is filled anyway; otherwise c->directory is NULL. */
bough_status store_get_chunk(bough_store *s, int64_t id, chunk *c, bool *found, bough_error *error);
uint32_t store_layout_sum(uint32_t number, const char *rows);

/* ---- store_scan.c ---- */

/* Reads seal, layouts and all chunks into s->seal, s->book and s->entry. *sound: no damage was found.
 * s->damage lists what is lost. */
bough_status store_scan(bough_store *s, const bough_study *study, bool *sound, bough_error *error);
/* The first entry of an answer that starts at or after `trial`; NULL: none. */
const store_entry *store_find(const bough_store *s, answer_place place, uint64_t trial);

/* ---- store.c ---- */

/* "a/b/c": creates a, a/b and a/b/c. */
bough_status store_make_directories(const char *path, bough_error *error);
/* Errors: INVALID if another process writes results there. */
bough_status store_take_lock(bough_store *s, const char *directory, bough_error *error);
/* Opens an undamaged store for reading. The caller ends study and store, also after an error. Errors: as
 * bough_store_load. */
bough_status store_open_whole(const char *path, bough_study *study, bough_store **store, bough_error *error);

/* ---- store_repair.c ---- */

/* Replaces the file by a new one with the undamaged data. */
bough_status store_repair(bough_store *s, const bough_study *study, bough_error *error);

#endif
