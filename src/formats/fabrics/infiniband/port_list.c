#include "formats/fabrics/infiniband/port_list.h"

static uint64_t key_of(uint32_t node, uint32_t number) {
    return (uint64_t)node << 8 | number;
}

bough_status port_list_node(port_list *list, const bough_parsed_node *node, uint32_t *index) {
    bough_index_map *guids = &list->parsed->guids[node->own.kind];
    *index = bough_index_map_get(guids, node->own.guid);
    if (*index != BOUGH_NO_INDEX) return BOUGH_OK;
    bough_status status = bough_parsed_add_node(list->parsed, node, index);
    return status ? status : bough_index_map_put(guids, node->own.guid, *index, list->parsed->error);
}

uint32_t port_list_find(const port_list *list, uint32_t node, uint32_t number) {
    return bough_index_map_get(&list->place, key_of(node, number));
}

bough_status port_list_port(port_list *list, const bough_parsed_port *port, uint32_t *index) {
    *index = port_list_find(list, port->own.node, port->own.number);
    if (*index != BOUGH_NO_INDEX) return BOUGH_OK;
    *index = (uint32_t)list->parsed->port_count;
    bough_status status = bough_parsed_add_port(list->parsed, port);
    if (status) return status;
    return bough_index_map_put(&list->place, key_of(port->own.node, port->own.number), *index,
                               list->parsed->error);
}

bough_status port_list_point(port_list *list, uint32_t a, uint32_t b, uint32_t line) {
    const bough_parsed_port *q = &list->parsed->port[b];
    const bough_fabric_node *there = &list->parsed->node[q->own.node];
    bough_parsed_port joined = list->parsed->port[a], *p = &list->parsed->port[a];
    joined.line = line;
    joined.cabled = true;
    joined.peer_kind = there->kind;
    joined.peer_key = there->guid;
    joined.peer_number = q->own.number;
    joined.peer_guid = q->own.guid;
    joined.peer_lid = q->own.lid;
    if (p->cabled && (p->peer_kind != joined.peer_kind || p->peer_key != joined.peer_key ||
                      p->peer_number != joined.peer_number))
        return bough_parsed_add_port(list->parsed, &joined);
    if (!p->cabled) *p = joined;
    return BOUGH_OK;
}

bough_status port_list_join(port_list *list, uint32_t a, uint32_t b, uint32_t line) {
    bough_status status = port_list_point(list, a, b, line);
    return status ? status : port_list_point(list, b, a, line);
}
