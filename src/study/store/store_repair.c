/* A damaged file is not repaired in place, because writing to pages of doubtful structure is unsafe. Valid
 * data is copied to a new file, which replaces the old one. */
#include "base/files/output.h"
#include "base/status/try.h"
#include "study/store/store_state.h"

static bough_status copy_layouts(bough_store *to, bough_store *from, bough_error *error) {
    bough_status status = BOUGH_OK;
    layout_book none = {0};
    to->book = from->book; /* borrowed */
    for (size_t i = 0; i < from->book.count && !status; i++)
        if (from->book.item[i]) status = store_put_layout(to, (uint32_t)i, error);
    to->book = none;
    return status;
}

static bough_status copy_chunks(bough_store *to, bough_store *from, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < from->entries && !status; i++) {
        const store_entry *e = &from->entry[i];
        chunk c;
        bool found;
        if (e->lost) continue;
        status = store_get_chunk(from, e->id, &c, &found, error);
        if (status || !found) continue; /* not found: it was found a moment ago; the next scan reports it */
        chunk part = chunk_slice(&c, e->first - c.first, e->count);
        status = store_put_chunk(to, &part, error);
    }
    sqlite3_reset(from->get_chunk);
    return status;
}

/* Writes to an existing empty file. */
static bough_status write_copy(bough_store *from, const char *path, const bough_study *study,
                               bough_error *error) {
    bough_store *to = NULL;
    bool empty;
    bough_status status = store_make(&to, path, "", error);
    TRY(store_connect(to, SQLITE_OPEN_READWRITE, &empty, error));
    TRY(store_execute(to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", error));
    TRY(store_create_tables(to, study, error));
    TRY(store_prepare_all(to, error));
    TRY(store_execute(to, "BEGIN", error));
    TRY(copy_layouts(to, from, error));
    TRY(copy_chunks(to, from, error));
    TRY(store_put_seal(to, error));
    TRY(store_execute(to, "COMMIT", error));
    bough_store_close(to);
    return status;
}

bough_status store_repair(bough_store *s, const bough_study *study, bough_error *error) {
    bough_output out;
    bough_status status = bough_output_begin(s->path, &out, error);
    if (status) return status;
    status = write_copy(s, out.part, study, error);
    store_disconnect(s);
    if (!status) return bough_output_end(&out, error);
    bough_output_drop(&out);
    if (error) *error->place = 0; /* the copy is gone: the error refers to the store */
    return store_named(s, status, error);
}
