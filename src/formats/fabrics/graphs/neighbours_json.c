/* Tables of neighbours in JSON, as a list of objects or in an object: `netq show lldp json` of NVIDIA NetQ,
 *
 *   {"lldp": [{"hostname": "leaf1", "ifname": "swp1", "peerHostname": "server1", "peerIfname": "eth0"}, ...],
 *    "truncatedResult": false}
 *
 * and `lldp show --format=json` of SuzieQ, which is the list alone. The keys of the first object say which of
 * them name the nodes and ports of both ends, as the columns of such a table in CSV do. */
#include "base/status/try.h"
#include "formats/fabrics/graphs/json_graphs.h"
#include "formats/fabrics/neighbour_columns.h"

#include <string.h>

typedef struct json_table {
    neighbour_table table;
    const char *key[NEIGHBOUR_COLUMNS];
    const json_t *space; /* the namespace of the first item */
} json_table;

/* The list itself, or the first one in an object. */
static const json_t *list_of(const json_t *root) {
    if (json_is_array(root)) return root;
    for (void *at = json_object_iter((json_t *)root); at; at = json_object_iter_next((json_t *)root, at))
        if (json_is_object(json_array_get(json_object_iter_value(at), 0))) return json_object_iter_value(at);
    return NULL;
}

static bool find_columns(json_table *t, const json_t *list) {
    json_t *first = json_array_get(list, 0);
    csv_cell name[NEIGHBOUR_COLUMNS];
    unsigned columns = 0;
    for (void *at = json_object_iter(first); at && columns < NEIGHBOUR_COLUMNS;
         at = json_object_iter_next(first, at), columns++) {
        t->key[columns] = json_object_iter_key(at);
        name[columns] = (csv_cell){.text = t->key[columns], .length = strlen(t->key[columns])};
    }
    t->table.columns = columns;
    return neighbour_columns_find(name, columns, t->table.role, t->table.side);
}

bool json_is_neighbours(const json_t *root) {
    json_table t;
    return find_columns(&t, list_of(root));
}

/* SuzieQ: networks whose devices may have the same names. */
static bough_status check_namespace(const json_table *t, const json_t *item) {
    const json_t *name = json_object_get(item, "namespace");
    if (!name || !t->space || json_equal(name, t->space)) return BOUGH_OK;
    return json_graph_fail(t->table.cables, "has the namespace ",
                           json_is_string(name) ? json_string_value(name) : "",
                           " beside another; expected one, as of `lldp show --namespace=NAME --format=json`");
}

static bough_status read_item(json_table *t, const json_t *item) {
    bough_slice cell[NEIGHBOUR_COLUMNS];
    bough_status status = check_namespace(t, item);
    for (unsigned i = 0; i < t->table.columns && !status; i++)
        status = json_graph_text(t->table.cables, json_object_get(item, t->key[i]), &cell[i]);
    return status ? status : neighbour_table_row(&t->table, cell, 0);
}

bough_status json_read_neighbours(bough_cables *c, const json_t *root) {
    json_table t = {.table.cables = c};
    const json_t *list = list_of(root);
    bough_status status = BOUGH_OK;
    find_columns(&t, list);
    t.space = json_object_get(json_array_get(list, 0), "namespace");
    c->neighbours = c->sightings = true;
    for (size_t i = 0; i < json_array_size(list) && !status; i++)
        status = read_item(&t, json_array_get(list, i));
    if (!status) neighbours_note_uncabled(c, t.table.uncabled);
    return status;
}
