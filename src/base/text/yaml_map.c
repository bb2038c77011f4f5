/* By libyaml's document API, whose nodes have line numbers. */
#include "base/text/yaml_map.h"

#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "base/text/yaml_limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

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

static bough_status syntax_error(const map_reader *r, const yaml_parser_t *parser) {
    char reason[256];
    if (parser->error == YAML_MEMORY_ERROR || !parser->problem) return bough_fail_memory(r->error, 1);
    snprintf(reason, sizeof reason, "not valid YAML: %s", parser->problem);
    return fail_line(r->map, parser->problem_mark.line + 1, r->error, reason);
}

static bough_status read_document(map_reader *r, yaml_parser_t *parser) {
    yaml_document_t document, second;
    if (!yaml_parser_load(parser, &document)) return syntax_error(r, parser);
    const yaml_node_t *root = yaml_document_get_root_node(&document);
    bough_status status = BOUGH_OK;
    r->document = &document;
    if (!root || root->type != YAML_MAPPING_NODE)
        status = fail_line(r->map, root ? line_of(root) : 1, r->error,
                           "expected names and values, as in `batch: {global: 1024}`");
    else
        status = read_mapping(r, root, NULL);
    yaml_document_delete(&document);
    if (status) return status;
    if (!yaml_parser_load(parser, &second)) return syntax_error(r, parser);
    root = yaml_document_get_root_node(&second);
    if (root)
        status = fail_line(r->map, line_of(root), r->error,
                           "a second document starts here; the file contains only one");
    yaml_document_delete(&second);
    return status;
}

bough_status yaml_map_read(const char *file, const char *text, size_t size, yaml_map *map,
                           bough_error *error) {
    map_reader r = {.map = map, .error = error};
    yaml_parser_t parser;
    *map = (yaml_map){.file = file};
    if (memchr(text, 0, size))
        return bough_fail(error, BOUGH_INVALID, file, "contains a NUL byte; expected text");
    if (!yaml_parser_initialize(&parser)) return bough_fail_memory(error, size);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    yaml_excess excess;
    bough_status status = yaml_exceeds_limits(text, size, &excess)
                              ? fail_line(map, excess.line, error, excess.reason)
                              : read_document(&r, &parser);
    bough_name_map_fini(&r.by_name);
    yaml_parser_delete(&parser);
    return status;
}
