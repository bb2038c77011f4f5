/* Adaptive routing tables of InfiniBand switches, as ibdiagnet writes them (ibdiagnet2.far):
 *
 *   File version: 1
 *   Switch 0x0002c90200400000 ...                      flags up to the next line are not read
 *   Groups Definition:
 *   Group  Sub Group  WHBF  Ports
 *   -----------------------------
 *   1      0          0     17,18,19,20,
 *   LFT Definition:
 *   PLFT_NUM: 0, top:0x24
 *   LID     Static Port  Lid State  Group
 *   -------------------------------------
 *   0x0001  17           Free       1
 *   0x0002  3            Static     0
 *
 * Packets to a LID in state Free or Bounded may leave by any port of the group, those in state HBF by the one
 * that a hash of the flow selects, those in state Static by the static port. */
#ifndef BOUGH_FORMATS_TABLES_AR_TABLES_H
#define BOUGH_FORMATS_TABLES_AR_TABLES_H

#include "base/files/input.h"
#include "formats/fabrics/fabric.h"

enum { AR_GROUP_MAX = 0xffff };

typedef enum ar_state { AR_NONE, AR_STATIC, AR_FREE, AR_HASHED } ar_state;

typedef struct ar_entry {
    uint16_t group;
    uint8_t port; /* the static one; BOUGH_NO_PORT: none */
    uint8_t state;
} ar_entry;

/* The ports of all its sub-groups, bit by number. */
typedef struct ar_group {
    uint32_t number;
    uint64_t ports[4];
} ar_group;

typedef struct ar_switch {
    ar_group *group; /* [groups], in the order of the file */
    size_t groups, group_capacity;
    ar_entry *entry; /* [lids], by LID */
    size_t lids, capacity;
    bool listed; /* the file has a section of the switch */
} ar_switch;

typedef struct ar_tables {
    ar_switch *of; /* [nodes]: by node of the fabric */
    uint32_t nodes;
    uint64_t hash, bytes;
} ar_tables;

/* Reads one file. Findings: sections of absent or repeated switches, private tables (which are ignored),
 * groups of several sub-groups (of which all ports count), entries in state HBF. Errors: INVALID with
 * file:line and the expected syntax; TOO_LARGE, NO_MEMORY. Linear in the input. */
bough_status ar_tables_read(const char *path, const bough_fabric *fabric, ar_tables *tables,
                            bough_findings *findings, bough_error *error);
/* The same from memory. */
bough_status ar_tables_parse(const bough_input *input, const bough_fabric *fabric, ar_tables *tables,
                             bough_findings *findings, bough_error *error);
void ar_tables_fini(ar_tables *tables);

#endif
