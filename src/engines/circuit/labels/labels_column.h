/* The columns of a rank: the levels from h on of a network that is divided among ranks (labels_border.h). */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_COLUMN_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_COLUMN_H

#include "engines/circuit/labels/labels_class.h"

/* A message that enters a column. */
typedef struct column_entry {
    uint32_t column, target; /* column: among those of the rank */
} column_entry;

/* A message of the current class in a column. */
typedef struct column_message {
    uint16_t from, path; /* rank of the source; position at the apex, bits from h on */
    uint8_t end;         /* the level that refused it; COLUMN_DOWN: it goes on below level h */
} column_message;
enum { COLUMN_DOWN = LABELS_TOP_MAX + 1 };

typedef struct labels_columns {
    unsigned h, top, ranks;
    uint64_t columns, first; /* of this rank; the first of them */
    uint32_t *slot;          /* [column][rank of the source]: 1 + message; 0: none; all 0 between classes */
    uint8_t *free_from; /* [level - h][column][position >> h]: the class from which on the link is free */
    uint32_t *holder;   /* [position >> h]: 1 + message that requests the link */
    uint64_t claims;
    unsigned reached; /* lowest level with requests of the current class */
} labels_columns;

bough_status labels_columns_make(labels_columns *columns, const labels_places *places, unsigned rank,
                                 bough_error *error);
void labels_columns_fini(labels_columns *columns);
void labels_columns_round(labels_columns *columns);

/* The messages of a class from its entries; message[i].from is set. */
typedef struct column_class {
    const labels_round *round;
    unsigned L;
    const column_entry *entry;
    column_message *message;
    uint64_t count;
} column_class;

/* Climbs from level h to L, and descends to h: sets path and end of all messages. */
void labels_columns_run(labels_columns *columns, const column_class *class);
/* After the messages have descended below h: `end` of a message is LABELS_ARRIVED, or the level that refused
 * it. Keeps the links that later classes find blocked. */
void labels_columns_keep(labels_columns *columns, const column_class *class);

#endif
