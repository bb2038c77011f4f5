/* YAML files that are a mapping of names to values, or to mappings of names to values:
 *
 *     gpu: h100
 *     batch: {global: 1024, micro: 1} */
#ifndef BOUGH_BASE_TEXT_YAML_MAP_H
#define BOUGH_BASE_TEXT_YAML_MAP_H

#include "base/memory/arena.h"

#include <stddef.h>

typedef struct yaml_entry {
    char *section; /* the name of the inner mapping; "": an entry of the outer one */
    char *key, *value;
    unsigned line;
} yaml_entry;

/* Zero-initialise. */
typedef struct yaml_map {
    const char *file; /* for messages; borrowed */
    yaml_entry *entry;
    size_t entries;
    arena memory; /* of the entries; the caller frees it, also after an error */
} yaml_map;

/* Reads the only document of a text. Values are texts of one line. Errors: INVALID with file:line for a text
 * that is not YAML, lists, deeper mappings and names that occur twice. */
bough_status yaml_map_read(const char *file, const char *text, size_t size, yaml_map *map,
                           bough_error *error);
/* Reports an error at the line of an entry: place file:line. */
bough_status yaml_map_fail(const yaml_map *map, const yaml_entry *entry, bough_error *error,
                           const char *format, ...) BOUGH_PRINTF(4, 5);

#endif
