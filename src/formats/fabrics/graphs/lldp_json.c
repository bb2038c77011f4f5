/* Neighbours as lldpctl prints them (-f json and -f json0), of several hosts or switches. The output does not
 * name the device that printed it, so the file has to:
 *
 *   {"node001": {"lldp": {"interface": ...}}, "leaf1": {"lldp": ...}}
 *   [{"host": "node001", "lldp": {"interface": ...}}, ...]
 *
 * In -f json what is there once is an object, keyed by its name, and what is there several times an array of
 * such objects; in -f json0 everything is an array, and names are attributes. */
#include "base/status/try.h"
#include "formats/fabrics/graphs/json_graphs.h"

#include <stdlib.h>
#include <string.h>

/* A neighbour that a device has seen. */
typedef struct sighting {
    uint32_t from, to;
} sighting;

typedef struct lldp_reader {
    bough_cables *c;
    sighting *seen;
    size_t count;
} lldp_reader;

static const json_t *device_output(const json_t *item) {
    return json_object_get(item, "lldp");
}

static const json_t *device_name(const json_t *item) {
    const json_t *name = json_object_get(item, "host");
    return name ? name : json_object_get(item, "name");
}

bool json_is_lldp(const json_t *root) {
    if (device_output(root)) return true;
    if (json_is_array(root)) return device_output(json_array_get(root, 0)) != NULL;
    void *first = json_object_iter((json_t *)root);
    return first && device_output(json_object_iter_value(first));
}

/* json0: [{"value": x}] stands for x. */
static const json_t *plain(const json_t *value) {
    if (json_is_array(value)) value = json_array_get(value, 0);
    const json_t *inner = json_object_get(value, "value");
    return inner ? inner : value;
}

/* ---- neighbours ---- */

static bool is_enabled(const json_t *capability) {
    const json_t *type = json_object_get(capability, "type");
    return json_is_string(type) && json_is_true(json_object_get(capability, "enabled")) &&
           (strcmp(json_string_value(type), "Bridge") == 0 || strcmp(json_string_value(type), "Router") == 0);
}

static bool is_switch(const json_t *chassis) {
    const json_t *list = json_object_get(chassis, "capability");
    bool any = is_enabled(list);
    for (size_t i = 0; i < json_array_size(list); i++) any = any || is_enabled(json_array_get(list, i));
    return any;
}

/* Of json the name is the key, unless the chassis has none: then its id. Of json0 it is an attribute. A name
 * that is NULL: no memory. */
static const json_t *find_chassis(const json_t *given, const json_t **name, json_t **made) {
    const json_t *chassis = json_is_array(given) ? json_array_get(given, 0) : given;
    *name = plain(json_object_get(chassis, "name"));
    if (*name) return chassis;
    if (json_object_get(chassis, "id")) return *name = plain(json_object_get(chassis, "id")), chassis;
    void *first = json_object_iter((json_t *)chassis);
    if (!first) return NULL;
    *name = *made = json_string(json_object_iter_key(first));
    return json_object_iter_value(first);
}

static bough_status add_sighting(lldp_reader *r, uint32_t from, const json_t *interface) {
    const json_t *name = NULL;
    json_t *made = NULL;
    uint32_t to;
    const json_t *chassis = find_chassis(json_object_get(interface, "chassis"), &name, &made);
    bough_status status =
        chassis && !name ? bough_fail_memory(r->c->parsed->error, 64)
        : chassis        ? json_graph_node(r->c, name, &to)
                         : json_graph_fail(r->c, "an interface of ", r->c->parsed->node[from].description,
                                           " has no chassis; expected the output of lldpctl -f json");
    json_decref(made);
    TRY(arena_grow(&r->c->parsed->memory, &r->seen, r->count + 1, sizeof *r->seen, r->c->parsed->error));
    if (status) return status;
    r->c->node[to].kind = is_switch(chassis) ? BOUGH_CABLE_SWITCH : BOUGH_CABLE_HOST;
    if (from != to) r->seen[r->count++] = (sighting){from, to};
    return BOUGH_OK;
}

/* An interface is keyed by its name in json, and has a name in json0. */
static bough_status read_interfaces(lldp_reader *r, uint32_t from, const json_t *item) {
    bough_status status = BOUGH_OK;
    if (json_object_get(item, "chassis")) return add_sighting(r, from, item);
    for (void *at = json_object_iter((json_t *)item); at && !status;
         at = json_object_iter_next((json_t *)item, at))
        status = add_sighting(r, from, json_object_iter_value(at));
    return status;
}

static bough_status read_device(lldp_reader *r, const json_t *name, const json_t *item) {
    const json_t *lldp = device_output(item), *list;
    uint32_t from;
    bough_status status = BOUGH_OK;
    if (!name || !lldp)
        return json_graph_fail(
            r->c,
            "does not name the device of each output; expected {\"node001\": {\"lldp\": ...}, ...} or "
            "[{\"host\": \"node001\", \"lldp\": ...}, ...]",
            NULL, "");
    status = json_graph_node(r->c, name, &from);
    if (json_is_array(lldp)) lldp = json_array_get(lldp, 0);
    list = json_object_get(lldp, "interface");
    if (!json_is_array(list)) return status ? status : read_interfaces(r, from, list);
    for (size_t i = 0; i < json_array_size(list) && !status; i++)
        status = read_interfaces(r, from, json_array_get(list, i));
    return status;
}

static bough_status read_devices(lldp_reader *r, const json_t *root) {
    bough_status status = BOUGH_OK;
    if (json_is_object(root) && device_output(root)) return read_device(r, device_name(root), root);
    for (size_t i = 0; i < json_array_size(root) && !status; i++)
        status = read_device(r, device_name(json_array_get(root, i)), json_array_get(root, i));
    for (void *at = json_object_iter((json_t *)root); at && !status;
         at = json_object_iter_next((json_t *)root, at)) {
        json_t *name = json_string(json_object_iter_key(at));
        status = name ? read_device(r, name, json_object_iter_value(at))
                      : bough_fail_memory(r->c->parsed->error, 64);
        json_decref(name);
    }
    return status;
}

/* ---- cables ---- */

static uint64_t pair_of(const sighting *s) {
    return s->from < s->to ? (uint64_t)s->from << 32 | s->to : (uint64_t)s->to << 32 | s->from;
}

static int by_pair(const void *a, const void *b) {
    const sighting *x = a, *y = b;
    uint64_t p = pair_of(x), q = pair_of(y);
    if (p != q) return p < q ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* Both ends of a cable may have seen it: two devices have as many cables as the one that has seen more. */
static bough_status add_cables(lldp_reader *r) {
    bough_status status = BOUGH_OK;
    if (r->count) qsort(r->seen, r->count, sizeof *r->seen, by_pair);
    for (size_t i = 0, next; i < r->count && !status; i = next) {
        size_t first = 0;
        for (next = i; next < r->count && pair_of(&r->seen[next]) == pair_of(&r->seen[i]); next++)
            first += r->seen[next].from == r->seen[i].from;
        const size_t back = next - i - first, cables = first > back ? first : back;
        const bough_cable cable = {.end = {{.node = r->seen[i].from}, {.node = r->seen[i].to}}};
        for (size_t k = 0; k < cables && !status; k++) status = bough_cables_add(r->c, &cable);
    }
    return status;
}

/* Devices that nobody has seen are hosts. */
bough_status json_read_lldp(bough_cables *c, const json_t *root) {
    lldp_reader r = {.c = c};
    bough_status status = read_devices(&r, root);
    for (size_t n = 0; n < c->parsed->node_count && !status; n++)
        if (c->node[n].kind == BOUGH_CABLE_OPEN) c->node[n].kind = BOUGH_CABLE_HOST;
    TRY(add_cables(&r));
    return status;
}
