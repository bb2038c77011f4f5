#include "extension/owned_registry.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "extension/handle.h"
#include "method/method.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct owned_registry {
    handle handle;        /* first */
    bough_registry lists; /* users know only this */
    atomic_uint users;
    owned_object *owned;
    size_t count, capacity;
    uint64_t code; /* see registry_code */
} owned_registry;

static owned_registry *owner_of(const bough_registry *registry) {
    return (owned_registry *)((char *)registry - offsetof(owned_registry, lists));
}

bool registry_alive(const bough_registry *registry) {
    return registry && handle_alive(owner_of(registry));
}

bough_status registry_make(bough_registry *parent, bough_registry **registry, bough_error *error) {
    owned_registry *r;
    *registry = NULL;
    bough_status status = bough_alloc(&r, 1, sizeof *r, error);
    if (status) return status;
    r->handle.word = HANDLE_ALIVE;
    r->lists.parent = registry_keep(parent);
    r->code = BOUGH_HASH_UNKNOWN;
    atomic_init(&r->users, 1);
    *registry = &r->lists;
    return BOUGH_OK;
}

bough_registry *registry_keep(bough_registry *registry) {
    if (registry) atomic_fetch_add(&owner_of(registry)->users, 1);
    return registry;
}

void registry_release(bough_registry *registry) {
    if (!registry_alive(registry)) return;
    owned_registry *r = owner_of(registry);
    if (atomic_fetch_sub(&r->users, 1) > 1) return;
    bough_registry *parent = (bough_registry *)r->lists.parent;
    while (r->count--) r->owned[r->count].destroy(r->owned[r->count].object);
    bough_registry_fini(&r->lists);
    free(r->owned);
    handle_free(r);
    registry_release(parent);
}

bough_status registry_own(bough_registry *registry, owned_object object, bough_error *error) {
    owned_registry *r = owner_of(registry);
    bough_status status = bough_grow(&r->owned, &r->capacity, r->count + 1, sizeof *r->owned, error);
    if (status)
        object.destroy(object.object);
    else
        r->owned[r->count++] = object;
    return status;
}

void registry_set_code(bough_registry *registry, uint64_t hash) {
    owner_of(registry)->code = hash;
}

uint64_t registry_code(const bough_registry *registry) {
    return owner_of(registry)->code;
}

/* ---- names ---- */

static bool is_word(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    if (!*name || !strchr(letters, *name)) return false;
    size_t length = strlen(name);
    return length < 64 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

static bool is_network(const bough_registry *registry, const char *name) {
    const bough_family *f;
    const bough_net *net;
    for (size_t i = 0; (f = bough_family_at(registry, i)); i++)
        if (strcmp(f->name, name) == 0) return true;
    for (size_t i = 0; (net = bough_registry_item(registry, BOUGH_LIST_NETWORKS, i)); i++)
        if (strcmp(net->spec, name) == 0) return true;
    return false;
}

static bool is_routing(const bough_registry *registry, const char *name) {
    const bough_routing_kind *k;
    for (size_t i = 0; (k = bough_routing_kind_at(registry, i)); i++)
        if (strcmp(k->name, name) == 0) return true;
    return false;
}

static bool in_use(const bough_registry *registry, bough_registry_list list, const char *name) {
    switch (list) {
    case BOUGH_LIST_FAMILIES:
    case BOUGH_LIST_NETWORKS:
        return is_network(registry, name);
    case BOUGH_LIST_ROUTINGS:
        return is_routing(registry, name);
    default:
        return bough_traffic_kind_find(registry, name, strlen(name)) ||
               bough_method_find(registry, name, strlen(name));
    }
}

bough_status registry_check_name(const bough_registry *registry, bough_registry_list list, const char *name,
                                 bough_error *error) {
    static const char *const what[BOUGH_LISTS] = {"network", "routing", "traffic", "method", "network"};
    if (!name) return bough_fail(error, BOUGH_INVALID, what[list], "the name is NULL");
    if (!is_word(name))
        return bough_fail(error, BOUGH_INVALID, what[list],
                          "the name '%.64s' is not of the form [a-z][a-z0-9_]*, of at most 63 letters", name);
    if (in_use(registry, list, name))
        return bough_fail(error, BOUGH_INVALID, what[list], "the name '%s' is in use", name);
    return BOUGH_OK;
}
