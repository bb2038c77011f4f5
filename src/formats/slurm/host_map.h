/* Hosts by name, where some programs write a name with its domain (node001.cluster) and others without: a
 * name with a domain and one without are the same host, if no other host has that short name. */
#ifndef BOUGH_FORMATS_SLURM_HOST_MAP_H
#define BOUGH_FORMATS_SLURM_HOST_MAP_H

#include "base/memory/name_map.h"

#include <stdbool.h>

/* The length of a name without its domain; that of the name if it has none. What does not begin with a letter
 * (an address) has none, nor has a device of a host (node001.cluster/mlx5_0). */
size_t host_name_short(const char *name, size_t length);

/* Zero-initialise. */
typedef struct host_map {
    bough_name_map whole, brief; /* by name; by short name */
    bough_name_map several;      /* short names of several hosts */
} host_map;

/* Adds a host; one of the same name stays the first. The caller keeps the bytes of the name. */
bough_status host_map_add(host_map *map, const char *name, size_t length, uint32_t value, bough_error *error);
/* The host of a name, or BOUGH_NO_INDEX. */
uint32_t host_map_get(const host_map *map, const char *name, size_t length);
/* Whether a name has a domain, and another one of the map is that host without it. */
bool host_map_has_short(const host_map *map, const char *name, size_t length);
void host_map_fini(host_map *map);

#endif
