#include "formats/fabrics/fabric_bundle.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "formats/fabrics/parsed_fabric.h"
#include "formats/tables/lft_tables.h"

#include <stdlib.h>
#include <string.h>

static bool is_wanted(const char *data, size_t size) {
    uint64_t guid;
    return bough_fabric_reader_of(data, size) || bough_tables_count(data, size, 1, &guid);
}

const bough_input_choice fabric_bundle_files = {.wanted = is_wanted};

typedef struct bundle_file {
    const bough_fabric_reader *reader;
    bool table, part; /* part: the table of one switch, where other files have those of others */
    uint64_t guid;    /* of the only table of the file; else 0 */
    size_t parts;     /* first file of its directory, if that holds nothing but parts; else SIZE_MAX */
} bundle_file;

typedef struct bundle {
    const bough_input *input;
    const char *name;  /* of the directory or archive, as in the names of its files */
    bundle_file *file; /* per piece */
} bundle;

/* The length of the directory in a name. */
static size_t directory_of(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) : 0;
}

static bool is_below(const char *name, const char *directory, size_t length) {
    return strncmp(name, directory, length) == 0 && name[length] == '/';
}

/* The name of a file below the directory or archive. */
static const char *short_name(const bundle *b, const char *name) {
    size_t length = strlen(b->name);
    return is_below(name, b->name, length) ? name + length + 1 : name;
}

static size_t find_parts(const bundle *b, size_t which) {
    const bough_input *input = b->input;
    const char *name = input->piece[which].name;
    size_t length = directory_of(name), first = SIZE_MAX;
    if (!b->file[which].part || !strchr(short_name(b, name), '/')) return SIZE_MAX;
    for (size_t i = 0; i < input->left_out_count; i++)
        if (is_below(input->left_out[i], name, length)) return SIZE_MAX;
    for (size_t i = 0; i < input->count; i++) {
        if (!is_below(input->piece[i].name, name, length)) continue;
        if (!b->file[i].part) return SIZE_MAX;
        if (first == SIZE_MAX) first = i;
    }
    return first;
}

/* Marks the files with one table, unless all these are of one switch. */
static void mark_parts(bundle *b) {
    uint64_t guid = 0;
    bool several = false;
    for (size_t i = 0; i < b->input->count; i++) {
        if (!b->file[i].guid) continue;
        several |= guid && guid != b->file[i].guid;
        guid = b->file[i].guid;
    }
    for (size_t i = 0; i < b->input->count && several; i++) b->file[i].part = b->file[i].guid != 0;
}

static bough_status bundle_init(bundle *b, const bough_input *input, bough_error *error) {
    *b = (bundle){.input = input, .name = strcmp(input->name, "-") == 0 ? "standard input" : input->name};
    bough_status status = bough_alloc(&b->file, input->count, sizeof *b->file, error);
    if (status) return status;
    for (size_t i = 0; i < input->count; i++) {
        const bough_input_piece *p = &input->piece[i];
        bundle_file *f = &b->file[i];
        size_t tables = bough_tables_count(p->data, p->size, 2, &f->guid);
        f->table = tables > 0;
        if (tables != 1) f->guid = 0;
        f->reader = f->table ? NULL : bough_fabric_reader_of(p->data, p->size);
    }
    mark_parts(b);
    for (size_t i = 0; i < input->count; i++) b->file[i].parts = find_parts(b, i);
    return BOUGH_OK;
}

static void bundle_fini(bundle *b) {
    free(b->file);
}

/* Whether the tables of a file, or of its directory, are a routing, which this file stands for. */
static bool is_routing(const bundle *b, size_t which) {
    const bundle_file *f = &b->file[which];
    return f->table && (!f->part || f->parts == which);
}

/* The length of the path of a routing. */
static size_t routing_path(const bundle *b, size_t which) {
    const char *name = b->input->piece[which].name;
    return b->file[which].part ? directory_of(name) : strlen(name);
}

/* ---- names in messages ---- */

enum { NAMES = 12, NAME = 200 };

typedef struct name_list {
    bough_text text;
    size_t count;
} name_list;

static void put_name(name_list *list, const char *name, size_t length) {
    if (list->count < NAMES)
        bough_text_printf(&list->text, "%s%.*s", list->count ? ", " : "",
                          (int)(length < NAME ? length : NAME), name);
    if (list->count++ == NAMES) bough_text_put(&list->text, ", ...");
}

static void put_file(name_list *list, const bundle *b, const char *name) {
    const char *shown = short_name(b, name);
    put_name(list, shown, strlen(shown));
}

static void put_left_out(name_list *list, const bundle *b) {
    for (size_t i = 0; i < b->input->left_out_count; i++) put_file(list, b, b->input->left_out[i]);
}

static bough_status fail_names(const bundle *b, name_list *list, const char *what, bough_error *error) {
    bough_text reason = {0};
    bough_text_put(&reason, what);
    bough_text_join(&reason, &list->text);
    return bough_fail_text(error, BOUGH_INVALID, b->name, &reason);
}

static bough_status fail_several(const bundle *b, unsigned rank, bough_error *error) {
    name_list list = {0};
    for (size_t i = 0; i < b->input->count; i++) {
        const char *name = b->input->piece[i].name;
        if (b->file[i].reader && b->file[i].reader->rank == rank) put_name(&list, name, strlen(name));
    }
    return fail_names(b, &list, "contains several fabric files of one kind; give one of them: ", error);
}

static bough_status fail_none(const bundle *b, bough_error *error) {
    name_list list = {0};
    for (size_t i = 0; i < b->input->count; i++) put_file(&list, b, b->input->piece[i].name);
    put_left_out(&list, b);
    bough_text_printf(&list.text, "; %s", bough_fabric_expected);
    return fail_names(b, &list, "contains no fabric file; there are ", error);
}

/* ---- the fabric ---- */

bough_status fabric_bundle_choose(const bough_input *input, const bough_input_piece **piece,
                                  bough_error *error) {
    bundle b;
    const bundle_file *best = NULL;
    bool several = false;
    *piece = input->piece;
    if (input->count == 1 && !input->left_out_count) return BOUGH_OK;
    bough_status status = bundle_init(&b, input, error);
    for (size_t i = 0; i < input->count && !status; i++) {
        const bundle_file *f = &b.file[i];
        if (!f->reader || (best && f->reader->rank < best->reader->rank)) continue;
        several = best && f->reader->rank == best->reader->rank;
        best = f;
        *piece = &input->piece[i];
    }
    if (!status && !best) status = fail_none(&b, error);
    if (!status && several) status = fail_several(&b, best->reader->rank, error);
    bundle_fini(&b);
    return status;
}

/* ---- tables ---- */

static bough_status list_routings(const bundle *b, arena *memory, char **tables, size_t *count,
                                  bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < b->input->count; i++) {
        if (!is_routing(b, i)) continue;
        TRY(arena_copy_bytes(memory, &tables[*count], b->input->piece[i].name, routing_path(b, i), error));
        if (!status) ++*count;
    }
    return status;
}

bough_status bough_fabric_tables_beside(const char *path, arena *memory, char ***tables, size_t *count,
                                        bough_error *error) {
    const bough_input_choice choice = {.wanted = is_wanted, .several = true};
    bough_input input;
    bundle b = {0};
    *tables = NULL;
    *count = 0;
    if (strcmp(path, "-") == 0) return BOUGH_OK;
    bough_status status = bough_input_read_some(path, &choice, &input, error);
    if (status) return status;
    status = bundle_init(&b, &input, error);
    TRY(arena_alloc(memory, tables, input.count, sizeof **tables, error));
    TRY(list_routings(&b, memory, *tables, count, error));
    bundle_fini(&b);
    bough_input_fini(&input);
    return status;
}

/* ---- the note ---- */

static void put_list(bough_text *out, const char *what, name_list *list) {
    if (list->count) bough_text_printf(out, "; %s: ", what);
    bough_text_join(out, &list->text);
}

static char *note_text(const bundle *b, const bough_input_piece *piece) {
    name_list fabrics = {0}, tables = {0}, others = {0};
    bough_text out = {0};
    for (size_t i = 0; i < b->input->count; i++) {
        const bough_input_piece *p = &b->input->piece[i];
        const char *name = short_name(b, p->name);
        if (is_routing(b, i))
            put_name(&tables, name, routing_path(b, i) - (size_t)(name - p->name));
        else if (b->file[i].table && b->file[i].parts == SIZE_MAX)
            put_file(&others, b, p->name);
        else if (!b->file[i].table && p != piece)
            put_file(&fabrics, b, p->name);
    }
    put_left_out(&others, b);
    bough_text_printf(&out, "the fabric is read from %s (%s)", short_name(b, piece->name),
                      b->file[piece - b->input->piece].reader->format);
    put_list(&out,
             b->name != b->input->name ? "tables, which cannot be read from standard input"
                                       : "tables, checked unless others are given",
             &tables);
    put_list(&out, "not read, as they say less about the fabric", &fabrics);
    put_list(&out, "not read", &others);
    return bough_text_take(&out);
}

bough_status fabric_bundle_note(const bough_input *input, const bough_input_piece *piece,
                                bough_finding_log *log, bough_error *error) {
    bundle b;
    if (input->count + input->left_out_count < 2) return BOUGH_OK;
    bough_status status = bundle_init(&b, input, error);
    if (status) return status;
    char *text = note_text(&b, piece);
    if (text) bough_log_finding(log, &(bough_finding_head){BOUGH_INFO, "bundle", b.name}, "%s", text);
    bundle_fini(&b);
    if (!text) return bough_fail_memory(error, 0);
    free(text);
    return BOUGH_OK;
}
