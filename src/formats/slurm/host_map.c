#include "formats/slurm/host_map.h"

#include "formats/fabrics/fabric.h"

#include <ctype.h>
#include <string.h>

size_t host_name_short(const char *name, size_t length) {
    const char *dot = length && isalpha((unsigned char)*name) ? memchr(name, '.', length) : NULL;
    return dot && !memchr(name, '/', length) ? (size_t)(dot - name) : length;
}

bough_status host_map_add(host_map *map, const char *name, size_t length, uint32_t value,
                          bough_error *error) {
    const size_t brief = host_name_short(name, length);
    if (bough_name_map_get(&map->whole, name, length) != BOUGH_NO_INDEX) return BOUGH_OK;
    bough_status status = bough_name_map_add(&map->whole, name, length, value, error);
    if (status || brief == length) return status;
    if (bough_name_map_get(&map->brief, name, brief) == BOUGH_NO_INDEX)
        return bough_name_map_add(&map->brief, name, brief, value, error);
    return bough_name_map_get(&map->several, name, brief) == BOUGH_NO_INDEX
               ? bough_name_map_add(&map->several, name, brief, value, error)
               : BOUGH_OK;
}

uint32_t host_map_get(const host_map *map, const char *name, size_t length) {
    const uint32_t found = bough_name_map_get(&map->whole, name, length);
    const size_t brief = host_name_short(name, length);
    if (found != BOUGH_NO_INDEX) return found;
    if (brief < length) return bough_name_map_get(&map->whole, name, brief);
    return bough_name_map_get(&map->several, name, brief) == BOUGH_NO_INDEX
               ? bough_name_map_get(&map->brief, name, brief)
               : BOUGH_NO_INDEX;
}

bool host_map_has_short(const host_map *map, const char *name, size_t length) {
    const size_t brief = host_name_short(name, length);
    return brief < length && bough_name_map_get(&map->whole, name, brief) != BOUGH_NO_INDEX &&
           bough_name_map_get(&map->several, name, brief) == BOUGH_NO_INDEX;
}

void host_map_fini(host_map *map) {
    bough_name_map_fini(&map->whole);
    bough_name_map_fini(&map->brief);
    bough_name_map_fini(&map->several);
}
