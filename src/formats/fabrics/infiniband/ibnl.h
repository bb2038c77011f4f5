/* Descriptions of switch systems and adapters in IBNL, the language of ibdm (ibutils): which chips a system
 * has, how they are joined, and where its connectors lead.
 *
 *   SYSTEM LEAF,LEAF:4x             a board, for the TOPSYSTEM that follows
 *   NODE SW 8 MT43132 U1            a chip: SW or CA, number of ports, device, name
 *      1 -4x-5G-> P1                its port 1 leads to a connector of the board,
 *      2 -> U2 3                    its port 2 to port 3 of the chip U2
 *
 *   TOPSYSTEM MTS9600,Gazelle       a system, by its types
 *   SUBSYSTEM LEAF leaf1            a board in it
 *      P1 -> L1/P1                  a connector of the board, and one of the system
 *      P2 -> spine1 P3              or of another board
 *
 * A system may replace boards (CFG: leaf1=12x, the board LEAF:12x) or lack them (leaf2=R); what leads to a
 * board or connector that is not there is left out. */
#ifndef BOUGH_FORMATS_FABRICS_INFINIBAND_IBNL_H
#define BOUGH_FORMATS_FABRICS_INFINIBAND_IBNL_H

#include "formats/fabrics/cable_list.h"

/* PORT -WIDTH-SPEED-> and what it leads to, in both languages. */
typedef struct ibnl_wire {
    bough_slice port, word[3]; /* word: up to three words behind the arrow */
    bough_slice width, speed;  /* "4x", "5"; length 0: not given */
    unsigned words;
    uint32_t line;
} ibnl_wire;

/* Reads such a line. Returns false, and leaves s, if it has no arrow as a word of its own. */
bool ibnl_read_wire(scanner *s, ibnl_wire *wire);
/* bit/s; 0: unknown */
uint64_t ibnl_rate(bough_slice width, bough_slice speed);

typedef struct ibnl_part { /* NODE or SUBSYSTEM */
    bough_slice name, type;
    uint32_t board, first_wire, wires, line;
    bool chip, adapter;
} ibnl_part;

typedef struct ibnl_board {            /* SYSTEM or TOPSYSTEM */
    uint32_t first_part, parts, scope; /* scope: boards of the same TOPSYSTEM */
} ibnl_board;

/* A board that a system has in place of another. */
typedef struct ibnl_modifier {
    bough_slice board, value;
    uint32_t system, line;
    bool used;
} ibnl_modifier;

enum { IBNL_NAME = 63 }; /* bytes of a name */

/* All descriptions of a file. Zero-initialise but for memory, keys.memory and error. */
typedef struct ibnl {
    arena *memory;
    bough_error *error;
    ibnl_board *board;
    ibnl_part *part;
    ibnl_wire *wire;
    uint32_t boards, parts, wires, scope;
    bool inside; /* a description, whose parts and wires follow */
    bough_name_map keys;
    ibnl_modifier *modifier;
    uint32_t modifiers;
    uint64_t steps; /* parts and wires of all systems so far */
} ibnl;

/* Returns whether a line starts a description or a part of one. */
bool ibnl_starts(const scanner *s);
/* U1=isChaBma: of a part, without meaning for cables. */
bool ibnl_is_attribute(const scanner *s);
/* Reads such a line, or one inside of a description. */
bough_status ibnl_read_line(ibnl *d, scanner *s);
/* The description of a type of systems, or BOUGH_NO_INDEX. */
uint32_t ibnl_type(const ibnl *d, bough_slice type);

/* A system in a topology. */
typedef struct ibnl_system {
    bough_slice name, type;
    uint32_t number, board, line; /* board: BOUGH_NO_INDEX if not described */
} ibnl_system;

/* Reads "leaf1=R,leaf2=12x" of a system with this number. */
bough_status ibnl_modify(ibnl *d, uint32_t system, scanner *s);
/* Adds the chips of a system, named SYSTEM/leaf1/U1, and the cables between them; of a single chip the name
 * is that of the system. */
bough_status ibnl_build(ibnl *d, const ibnl_system *system, bough_cables *cables);

/* After all systems are built. Errors: INVALID with the line of a system that modifies a board that it does
 * not have. */
bough_status ibnl_check_modifiers(const ibnl *d, const ibnl_system *systems, const scanner *file);

/* A port of a chip; width and speed: those of the description, if given. */
typedef struct ibnl_place {
    uint32_t node; /* BOUGH_NO_INDEX: there is no such connector, or its board is missing */
    bough_slice port, width, speed;
} ibnl_place;
/* Where a connector leads. */
bough_status ibnl_find(ibnl *d, const ibnl_system *system, bough_cables *cables, bough_slice connector,
                       ibnl_place *place);

#endif
