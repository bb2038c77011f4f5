/* The rules of section 3 of dehon1991 for routers of any radix, as plain arithmetic: how many routers a layer
 * has, from the wires that enter it, and the routers that a message passes, from the digits of its
 * destination. Shares nothing with the library. */
#ifndef BOUGH_TESTS_SUPPORT_TRANSIT_RULES_H
#define BOUGH_TESTS_SUPPORT_TRANSIT_RULES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct transit_rules {
    unsigned radix, dilation, levels, ports, capacity, stages;
    bool shortcuts;
    uint64_t leaf; /* processors of a leaf cluster; 1: none */
} transit_rules;

typedef struct transit_rules_hop {
    char layer[16];   /* as in names: "up", "up2", "d3", "l1" */
    unsigned stage;   /* 0: leaf cluster */
    uint64_t subtree; /* number of the subtree that the router serves, among those of its layer */
} transit_rules_hop;

uint64_t transit_rules_processors(const transit_rules *r);
/* Wires up from a node of a stage; 0: leaf cluster, or processor. */
uint64_t transit_rules_wires_up(const transit_rules *r, unsigned stage);
uint64_t transit_rules_unit_trees(const transit_rules *r, unsigned stage); /* of a node */
/* Routers of a layer of one stack. up: an up layer; number: 1 .. levels, or layer of a leaf cluster. */
uint64_t transit_rules_routers(const transit_rules *r, unsigned stage, bool up, unsigned number);
uint64_t transit_rules_all_routers(const transit_rules *r);
/* The routers on the way, at most `room`. Returns their number. */
unsigned transit_rules_path(const transit_rules *r, uint64_t source, uint64_t target, transit_rules_hop *hop,
                            unsigned room);

#endif
