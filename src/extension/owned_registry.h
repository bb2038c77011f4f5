/* Registries that own what they list, and are shared by networks and questions. */
#ifndef BOUGH_EXTENSION_OWNED_REGISTRY_H
#define BOUGH_EXTENSION_OWNED_REGISTRY_H

#include "network/registry.h"

#include <stdbool.h>

/* parent: kept while the registry lives; may be NULL. Errors: NO_MEMORY. */
bough_status registry_make(bough_registry *parent, bough_registry **registry, bough_error *error);
/* False for NULL and after the release by the last user (see handle.h). */
bool registry_alive(const bough_registry *registry);
/* Adds a user, who calls registry_release once. NULL is allowed. Returns the registry. */
bough_registry *registry_keep(bough_registry *registry);
/* The last user frees the registry and what it owns, the newest first. NULL is allowed. */
void registry_release(bough_registry *registry);

typedef struct owned_object {
    void *object;
    void (*destroy)(void *object);
} owned_object;
/* Takes the object, also after an error. Errors: NO_MEMORY. */
bough_status registry_own(bough_registry *registry, owned_object object, bough_error *error);

/* The hash of the plug-in whose names are added; at first BOUGH_HASH_UNKNOWN: code of the program. */
void registry_set_code(bough_registry *registry, uint64_t hash);
uint64_t registry_code(const bough_registry *registry);

/* Whether a name may be added to a list: [a-z][a-z0-9_]*, not in use there (families and networks are one
 * name space, as are traffic and methods, which `bough sim` tells apart by name). Errors: INVALID. */
bough_status registry_check_name(const bough_registry *registry, bough_registry_list list, const char *name,
                                 bough_error *error);

#endif
