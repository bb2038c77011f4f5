#include "base/text/yaml_map.h"

#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "base/text/yaml_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct map_reader {
    yaml_map *map;
    yaml_document_t *document;
    bough_name_map by_name; /* section, NUL, key to the index of the entry */
    bough_error *error;
} map_reader;

static bough_status fail_line(const yaml_map *map, size_t line, bough_error *error, const char *reason) {
    char place[256];
    snprintf(place, sizeof place, "%.240s:%zu", map->file, line);
    return bough_fail(error, BOUGH_INVALID, place, "%s", reason);
}

bough_status yaml_map_fail(const yaml_map *map, const yaml_entry *entry, bough_error *error,
                           const char *format, ...) {
    char reason[640];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return fail_line(map, entry->line, error, reason);
}

static size_t line_of(const yaml_node_t *node) {
    return node->start_mark.line + 1;
}

static bough_status copy_text(const map_reader *r, const yaml_node_t *node, char **text) {
    const char *value = (const char *)node->data.scalar.value;
    for (size_t i = 0; i < node->data.scalar.length; i++)
        if ((unsigned char)value[i] < 0x20 || value[i] == 0x7f)
            return fail_line(r->map, line_of(node), r->error,
                             "a text contains a line break or another control character");
    return arena_copy(&r->map->memory, text, value, r->error);
}

/* e: the last entry. */
static bough_status refuse_second(map_reader *r, const yaml_entry *e) {
    const size_t length = strlen(e->section) + 1 + strlen(e->key);
    char *name = NULL;
    bough_status status = arena_printf(&r->map->memory, &name, r->error, "%s%c%s", e->section, 0, e->key);
    if (status) return status;
    const uint32_t first = bough_name_map_get(&r->by_name, name, length);
    if (first != UINT32_MAX)
        return yaml_map_fail(r->map, e, r->error, "duplicate key '%.80s' (first in line %u)", e->key,
                             r->map->entry[first].line);
    return bough_name_map_add(&r->by_name, name, length, (uint32_t)(e - r->map->entry), r->error);
}

static bough_status add_entry(map_reader *r, const char *section, const yaml_node_t *key,
                              const yaml_node_t *value) {
    yaml_map *m = r->map;
    bough_status status = arena_grow(&m->memory, &m->entry, m->entries + 1, sizeof *m->entry, r->error);
    if (status) return status;
    yaml_entry *e = &m->entry[m->entries++];
    *e = (yaml_entry){.line = (unsigned)line_of(key)};
    status = arena_copy(&m->memory, &e->section, section, r->error);
    TRY(copy_text(r, key, &e->key));
    TRY(copy_text(r, value, &e->value));
    TRY(refuse_second(r, e));
    return status;
}

/* section: NULL for the outer mapping. */
static bough_status read_mapping(map_reader *r, const yaml_node_t *node, const char *section) {
    bough_status status = BOUGH_OK;
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top && !status; pair++) {
        const yaml_node_t *key = yaml_document_get_node(r->document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(r->document, pair->value);
        if (key->type != YAML_SCALAR_NODE)
            return fail_line(r->map, line_of(key), r->error, "expected a key, as in `batch: {global: 1024}`");
        if (value->type == YAML_SCALAR_NODE) {
            status = add_entry(r, section ? section : "", key, value);
        } else if (value->type == YAML_MAPPING_NODE && !section) {
            char *name = NULL;
            status = copy_text(r, key, &name);
            TRY(read_mapping(r, value, name));
        } else {
            return fail_line(r->map, line_of(value), r->error,
                             value->type == YAML_MAPPING_NODE ? "expected a value, found a mapping"
                                                              : "expected a value, found a list");
        }
    }
    return status;
}

bough_status yaml_map_read(const char *file, const char *text, size_t size, yaml_map *map,
                           bough_error *error) {
    yaml_tree tree;
    map_reader r = {.map = map, .document = &tree.document, .error = error};
    *map = (yaml_map){.file = file};
    bough_status status = yaml_tree_read(file, text, size, &tree, error);
    if (!status && (!tree.root || tree.root->type != YAML_MAPPING_NODE))
        status = yaml_tree_fail(&tree, tree.root, "expected names and values, as in `batch: {global: 1024}`");
    TRY(read_mapping(&r, tree.root, NULL));
    bough_name_map_fini(&r.by_name);
    yaml_tree_fini(&tree);
    return status;
}
