/* What OpenSM's engines minhop and updn take from files: roots (-a) and the order of destinations (-X). */
#ifndef BOUGH_ROUTING_COMPUTED_ENGINE_SETTINGS_H
#define BOUGH_ROUTING_COMPUTED_ENGINE_SETTINGS_H

#include "routing/routing.h"

/* Zero-initialise: the engine's own settings. */
typedef struct engine_settings {
    bool *root;        /* [nodes]; NULL: the switches of the highest level. Only updn */
    const char *roots; /* what gives them, for findings; borrowed */
    uint32_t *place;   /* [endpoints]: 1, 2, .. of those that are routed first, 0 of the others; NULL: none */
} engine_settings;
void engine_settings_fini(engine_settings *settings); /* frees the arrays */

/* Switches by their GUIDs or names, in a file or in a list with commas. "": none. What is no switch is a
 * finding of the routing. Errors: INVALID if none is a switch, IO, NO_MEMORY. */
bough_status engine_roots_read(const char *text, bough_routing *routing, engine_settings *settings,
                               bough_error *error);
/* The same for endpoints, by their port GUIDs or names. */
bough_status engine_order_read(const char *text, bough_routing *routing, engine_settings *settings,
                               bough_error *error);
#define ENGINE_ORDER_PARAM                                                                                   \
    {                                                                                                        \
        "order",                                                                                             \
            "a file of port GUIDs (0x..) or names of endpoints, one per line, or quoted names separated by " \
            "commas: "                                                                                       \
            "these are routed first, in this order, as by opensm -X; default: none",                         \
            BOUGH_TEXT, ""                                                                                   \
    }

/* Fill routing->data, which is NULL, with the table of the engine. */
bough_status minhop_fill(bough_routing *routing, const engine_settings *settings, bough_error *error);
bough_status updn_fill(bough_routing *routing, const engine_settings *settings, bough_error *error);

/* The routing of an engine, &bough_routing_minhop or &bough_routing_updn, under these settings. Its spec is
 * the name of the engine. */
bough_status engine_routing_make(const bough_net *net, const bough_routing_kind *kind,
                                 const engine_settings *settings, bough_routing **routing,
                                 bough_error *error);

#endif
