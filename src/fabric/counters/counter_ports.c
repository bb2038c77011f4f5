#include "fabric/counters/counter_ports.h"

#include "base/memory/fnv1a.h"
#include "base/memory/index_map.h"
#include "base/memory/memory.h"
#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "formats/counters/port_readings.h"
#include "formats/slurm/host_map.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How files name ports. */
typedef struct port_names {
    const bough_fabric *fabric;
    bough_index_map node;  /* by its GUID */
    bough_index_map port;  /* of adapters, by their GUID */
    bough_index_map lid;   /* LIDs of switches: the node; of adapters: nodes + port */
    bough_name_map device; /* adapters by their description: "node001 mlx5_0" */
    host_map host;         /* the first adapter of a host, by the first word of the description */
    uint8_t *several;      /* [nodes]: the host has others */
    arena memory;          /* of all of it */
    bough_error *error;
} port_names;

static bough_status add_lids(port_names *n, uint32_t lid, unsigned lmc, uint32_t value) {
    bough_status status = BOUGH_OK;
    if (n->fabric->without_lids) return BOUGH_OK;
    for (uint32_t i = 0; lid && i < UINT32_C(1) << lmc; i++)
        TRY(bough_index_map_put(&n->lid, lid + i, value, n->error));
    return status;
}

static bough_status add_adapter(port_names *n, uint32_t node) {
    const char *text = n->fabric->node[node].description;
    const size_t whole = strlen(text), first = strcspn(text, " ");
    bough_status status = BOUGH_OK;
    if (bough_name_map_get(&n->device, text, whole) == BOUGH_NO_INDEX)
        status = bough_name_map_add(&n->device, text, whole, node, n->error);
    const uint32_t other = bough_name_map_get(&n->host.whole, text, first);
    if (other != BOUGH_NO_INDEX)
        n->several[other] = 1;
    else
        TRY(host_map_add(&n->host, text, first, node, n->error));
    return status;
}

static bough_status add_node(port_names *n, uint32_t i) {
    const bough_fabric_node *node = &n->fabric->node[i];
    bough_status status = bough_index_map_put(&n->node, node->guid, i, n->error);
    if (node->kind == BOUGH_FABRIC_SWITCH) return status ? status : add_lids(n, node->lid, node->lmc, i);
    if (!node->aggregation) TRY(add_adapter(n, i));
    return status;
}

static bough_status port_names_make(const bough_fabric *f, port_names *n, bough_error *error) {
    arena *m = &n->memory;
    *n = (port_names){
        .fabric = f, .node.memory = m, .port.memory = m, .lid.memory = m, .device.memory = m, .error = error};
    bough_status status = arena_alloc(m, &n->several, f->node_count, sizeof *n->several, error);
    for (uint32_t i = 0; i < f->node_count && !status; i++) status = add_node(n, i);
    for (uint32_t i = 0; i < f->port_count && !status; i++) {
        const bough_fabric_port *p = &f->port[i];
        if (f->node[p->node].kind == BOUGH_FABRIC_SWITCH) continue;
        if (p->guid) status = bough_index_map_put(&n->port, p->guid, i, error);
        TRY(add_lids(n, p->lid, p->lmc, f->node_count + i));
    }
    return status;
}

/* ---- the port of a reading ---- */

/* Results of find_port. NO_CABLE: a port of a node of the fabric, which does not list it. */
enum { UNKNOWN = BOUGH_NO_INDEX, NO_CABLE = BOUGH_NO_INDEX - 1 };

static uint32_t port_of_node(const port_names *n, uint32_t node, uint32_t number) {
    const uint32_t port = bough_fabric_port_find(n->fabric, node, number);
    return port == BOUGH_NO_INDEX ? NO_CABLE : port;
}

static uint32_t find_by_guid(const port_names *n, const port_reading *r) {
    const uint32_t node = bough_index_map_get(&n->node, r->guid),
                   port = bough_index_map_get(&n->port, r->guid);
    const uint32_t of_node = node == BOUGH_NO_INDEX ? UNKNOWN : port_of_node(n, node, r->port);
    if (of_node < NO_CABLE || port == BOUGH_NO_INDEX) return of_node;
    return n->fabric->port[port].number == r->port ? port : NO_CABLE;
}

static uint32_t find_by_lid(const port_names *n, const port_reading *r) {
    const uint32_t found = bough_index_map_get(&n->lid, r->lid);
    if (found == BOUGH_NO_INDEX) return UNKNOWN;
    if (found < n->fabric->node_count) return port_of_node(n, found, r->port);
    const uint32_t port = found - n->fabric->node_count;
    return n->fabric->port[port].number == r->port ? port : NO_CABLE;
}

/* The adapter that is described as HOST DEVICE. */
static uint32_t find_device(const port_names *n, bough_slice host, bough_slice device) {
    char name[256];
    const size_t length = host.length + 1 + device.length;
    if (length >= sizeof name) return BOUGH_NO_INDEX;
    snprintf(name, sizeof name, "%.*s %.*s", (int)host.length, host.text, (int)device.length,
             device.length ? device.text : "");
    return bough_name_map_get(&n->device, name, length);
}

/* With its domain, or without. */
static uint32_t find_by_host(const port_names *n, const port_reading *r) {
    const bough_slice brief = {r->host.text, host_name_short(r->host.text, r->host.length)};
    uint32_t node = find_device(n, r->host, r->device);
    if (node == BOUGH_NO_INDEX) node = find_device(n, brief, r->device);
    if (node == BOUGH_NO_INDEX) {
        node = host_map_get(&n->host, r->host.text, r->host.length);
        if (node == BOUGH_NO_INDEX || n->several[node]) return UNKNOWN;
    }
    return port_of_node(n, node, r->port);
}

static uint32_t find_port(const port_names *n, const port_reading *r) {
    if (r->guid) return find_by_guid(n, r);
    return r->lid ? find_by_lid(n, r) : find_by_host(n, r);
}

/* ---- ports that the fabric does not have ---- */

/* A key that other ports do not have but by accident. */
static uint64_t key_of(const port_reading *r) {
    uint64_t key = r->guid ? r->guid : r->lid;
    if (!key) {
        key = bough_fnv1a(BOUGH_FNV1A_START, r->host.text, r->host.length);
        key = bough_fnv1a(key, r->device.text ? r->device.text : "", r->device.length);
    }
    return key * 256 + r->port;
}

static bough_status name_port(const port_reading *r, char **name, bough_error *error) {
    char host[80], device[40];
    bough_text text = {0};
    bough_copy_printable(r->host.text ? r->host.text : "", r->host.length, host, sizeof host);
    bough_copy_printable(r->device.text ? r->device.text : "", r->device.length, device, sizeof device);
    if (r->guid)
        bough_text_printf(&text, "GUID 0x%016" PRIx64 " port %" PRIu32, r->guid, r->port);
    else if (r->lid)
        bough_text_printf(&text, "LID %" PRIu32 " port %" PRIu32, r->lid, r->port);
    else
        bough_text_printf(&text, "host %s device %s port %" PRIu32, host, device, r->port);
    return bough_text_finish(&text, name, error);
}

static bough_status count_unknown(const port_reading *r, bough_index_map *seen, counter_ports *ports,
                                  bough_error *error) {
    const uint64_t key = key_of(r);
    bough_status status = BOUGH_OK;
    if (bough_index_map_get(seen, key) != BOUGH_NO_INDEX) return BOUGH_OK;
    if (!ports->unknown++) status = name_port(r, &ports->unknown_first, error);
    TRY(bough_index_map_put(seen, key, 0, error));
    return status;
}

/* ---- values ---- */

static bough_status fail_twice(const port_readings *readings, const port_reading *r, uint32_t line,
                               bough_error *error) {
    char place[256];
    char *name = NULL;
    bough_status status = name_port(r, &name, error);
    if (status) return status;
    bough_format_place(place, sizeof place, readings->input.piece[r->piece].name, r->line);
    status = bough_fail(error, BOUGH_INVALID, place,
                        "%s of %s was given before, in line %" PRIu32 "; expected one reading of each port",
                        bough_counter_name((bough_counter)r->counter), name, line);
    free(name);
    return status;
}

static void set_bit(uint32_t *bits, unsigned bit, bool on) {
    *bits = (*bits & ~(UINT32_C(1) << bit)) | (uint32_t)on << bit;
}

/* Of several readings of one port the extended counter is taken, and that of a named port before that of a
 * host. */
static bough_status set_value(const port_readings *readings, const port_reading *r, counted_port *port,
                              bough_error *error) {
    const uint32_t bit = UINT32_C(1) << r->counter;
    const bool wide = port->wide & bit, host = port->host & bit, by_host = r->host.length > 0;
    if (port->known & bit) {
        if (host == by_host && wide == r->wide) return fail_twice(readings, r, port->line[r->counter], error);
        if (host == by_host ? wide : by_host) return BOUGH_OK;
    }
    port->known |= bit;
    set_bit(&port->wide, r->counter, r->wide);
    set_bit(&port->bytes, r->counter, r->bytes);
    set_bit(&port->host, r->counter, by_host);
    port->value[r->counter] = r->value;
    port->line[r->counter] = r->line;
    return BOUGH_OK;
}

static bough_status set_values(const port_readings *readings, const port_names *names, counter_ports *ports,
                               bough_error *error) {
    bough_index_map seen = {0};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < readings->count && !status; i++) {
        const port_reading *r = &readings->item[i];
        const uint32_t port = find_port(names, r);
        if (port == UNKNOWN)
            status = count_unknown(r, &seen, ports, error);
        else if (port != NO_CABLE)
            status = set_value(readings, r, &ports->port[port], error);
    }
    bough_index_map_fini(&seen);
    return status;
}

bough_status counter_ports_read(const bough_fabric *fabric, const char *path, counter_ports *ports,
                                bough_error *error) {
    port_readings readings = {0};
    port_names names = {0};
    bough_status status = port_readings_read(path, &readings, error);
    TRY(port_names_make(fabric, &names, error));
    TRY(bough_memory_check(bough_mul(fabric->port_count, sizeof *ports->port), "the counters", error));
    TRY(bough_alloc(&ports->port, fabric->port_count, sizeof *ports->port, error));
    TRY(set_values(&readings, &names, ports, error));
    for (uint32_t i = 0; i < fabric->port_count && !status && readings.errors_above; i++)
        ports->port[i].known |= (UINT32_C(1) << BOUGH_COUNTERS) - (UINT32_C(1) << BOUGH_COUNTER_FIRST_ERROR);
    ports->time = readings.time;
    ports->skipped = readings.skipped;
    arena_fini(&names.memory);
    host_map_fini(&names.host);
    port_readings_fini(&readings);
    return status;
}

void counter_ports_fini(counter_ports *ports) {
    FREE_ALL(ports->port, ports->unknown_first);
    *ports = (counter_ports){.time = NAN};
}

/* ---- between two files ---- */

static const uint64_t counter_most[] = {
#define X(id, name, bits) (UINT64_C(1) << (bits)) - 1,
    BOUGH_COUNTER_MAP(X)
#undef X
};

/* Data in bytes; other counters as they are. */
static double unit_of(const counted_port *port, bough_counter counter) {
    const bool data = counter == BOUGH_COUNTER_XMIT_DATA || counter == BOUGH_COUNTER_RCV_DATA;
    return data && !(port->bytes & UINT32_C(1) << counter) ? 4 : 1;
}

/* A counter of 64 bits that goes from the upper half to the lower one has wrapped. In bytes it was converted
 * from words, so that it does not wrap at 2^64. */
static bool has_wrapped(uint64_t from, uint64_t to, bool words) {
    return words && from >> 63 == 1 && to >> 63 == 0;
}

bough_link_count counter_rise(const counted_port *before, const counted_port *after, bough_counter counter,
                              double *value) {
    const uint32_t bit = UINT32_C(1) << counter;
    const double unit = unit_of(after, counter);
    *value = NAN;
    if (before && !(before->known & bit)) return BOUGH_LINK_NOT_BEFORE;
    if (!(after->known & bit)) return before ? BOUGH_LINK_NOT_AFTER : BOUGH_LINK_NOT_BEFORE;
    const uint64_t to = after->value[counter], from = before ? before->value[counter] : 0;
    const bool wide = after->wide & bit, same = !before || unit == unit_of(before, counter);
    *value = same && (to >= from || (wide && has_wrapped(from, to, unit > 1)))
                 ? (double)(to - from) * unit
                 : (double)to * unit - (double)from * (before ? unit_of(before, counter) : 1);
    if (*value < 0) {
        *value = (double)to * unit;
        return BOUGH_LINK_RESET;
    }
    return !wide && to >= counter_most[counter] ? BOUGH_LINK_SATURATED : BOUGH_LINK_COUNTED;
}
