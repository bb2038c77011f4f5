/* Messages in arrays, as a traffic. */
#include "extension/array_names.h"

#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "extension/owned_registry.h"
#include "traffic/lists/flow_list_traffic.h"
#include "traffic/lists/message_csv.h"
#include "traffic/patterns/batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct array_traffic {
    bough_traffic_kind kind; /* first */
    char *name;
    uint64_t *source, *destination, *size; /* size: NULL: none */
    size_t count;
    uint64_t hash;
} array_traffic;

static void destroy(void *object) {
    array_traffic *t = object;
    FREE_ALL(t->name, t->source, t->destination, t->size, t);
}

static bough_status bind(bough_args *args, const bough_net *net, bough_traffic *traffic, bough_error *error) {
    const array_traffic *t = (const array_traffic *)traffic->kind;
    (void)args;
    traffic->input_hash = t->hash;
    if (t->size)
        return flow_list_take(&(sized_messages){t->source, t->destination, t->size, t->count}, net, traffic,
                              error);
    return messages_take(&(unsized_messages){t->source, t->destination, t->count}, net, traffic, error);
}

static bough_status check(const bough_message_arrays *m, bough_error *error) {
    char place[64];
    if (m->count == 0 || m->count > UINT32_MAX)
        return bough_fail(error, m->count ? BOUGH_TOO_LARGE : BOUGH_INVALID, "bough_message_arrays",
                          "%zu messages; there must be between 1 and 2^32 - 1", m->count);
    for (size_t i = 0; i < m->count; i++) {
        snprintf(place, sizeof place, "message %zu", i);
        if (m->source[i] == m->destination[i])
            return bough_fail(error, BOUGH_INVALID, place, "endpoint %" PRIu64 " sends to itself",
                              m->source[i]);
        if (m->bytes && m->bytes[i] == 0)
            return bough_fail(error, BOUGH_INVALID, place, "has 0 bytes; it must have at least 1");
    }
    return BOUGH_OK;
}

static bough_status copy(uint64_t **to, const uint64_t *from, size_t count, bough_error *error) {
    if (!from) return BOUGH_OK;
    bough_status status = bough_alloc(to, count, sizeof **to, error);
    if (!status) memcpy(*to, from, count * sizeof **to);
    return status;
}

static uint64_t hash_of(uint64_t hash, const uint64_t *array, size_t count) {
    return array ? bough_fnv1a(hash, (const char *)array, count * sizeof *array) : hash;
}

bough_status registry_add_messages(bough_registry *registry, const bough_message_arrays *m,
                                   bough_error *error) {
    static const bough_param none[] = {BOUGH_PARAMS_END};
    array_traffic *t;
    bough_status status = registry_check_name(registry, BOUGH_LIST_TRAFFIC, m->name, error);
    TRY(check(m, error));
    TRY(bough_alloc(&t, 1, sizeof *t, error));
    if (status) return status;
    t->count = m->count;
    t->hash = hash_of(hash_of(hash_of(BOUGH_FNV1A_START, m->source, m->count), m->destination, m->count),
                      m->bytes, m->count);
    t->name = bough_strdup(m->name);
    if (!t->name) status = bough_fail_memory(error, strlen(m->name));
    TRY(copy(&t->source, m->source, m->count, error));
    TRY(copy(&t->destination, m->destination, m->count, error));
    TRY(copy(&t->size, m->bytes, m->count, error));
    if (status) {
        destroy(t);
        return status;
    }
    t->kind = m->bytes ? bough_traffic_matrix : bough_traffic_messages;
    t->kind.name = t->name;
    t->kind.summary = "messages of the program";
    t->kind.params = none;
    t->kind.bind = bind;
    status = registry_own(registry, (owned_object){t, destroy}, error);
    return status ? status : bough_registry_put(registry, BOUGH_LIST_TRAFFIC, t, error);
}
