/* Lists of cables of regular networks, for tests that change single cables. A failure that a test did not ask
 * for ends it. */
#ifndef TESTS_SUPPORT_CABLE_LISTS_H
#define TESTS_SUPPORT_CABLE_LISTS_H

#include "base/text/text.h"
#include "formats/fabrics/fabric.h"

typedef struct listed_end {
    char node[24];
    bool host;
    unsigned port;
} listed_end;

typedef struct listed_cable {
    listed_end end[2];
    unsigned rate; /* Gb/s */
    bool gone;     /* not in the text */
    bool touched;  /* for the caller */
} listed_cable;

typedef struct cable_list {
    listed_cable *cable;
    size_t count, capacity;
    unsigned next_port; /* that no node has, from 200 on */
} cable_list;

/* The cables of a network spec, in the order of bough's export, at 100 Gb/s. */
cable_list cable_list_of(const char *spec);
void cable_list_free(cable_list *list);
listed_cable *cable_list_add(cable_list *list, listed_end a, listed_end b);
/* A port that nothing is cabled to. */
listed_end free_port(cable_list *list, listed_end end);

/* The fabric of the list. ports: with port numbers; else without. */
bough_fabric cable_list_fabric(const cable_list *list, bool ports);
/* "a/1 -> b/2", or without ports "a -> b"; the end whose name is first in the alphabet comes first. */
void cable_name(char *buffer, size_t size, const listed_cable *cable, bool ports);

#endif
