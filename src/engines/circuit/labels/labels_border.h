/* The binary fat-tree divided among ranks: rank r has the subtree of the endpoints r * 2^h .. (r + 1) * 2^h -
 * 1, with all its links below level h. Classes below h stay within a subtree.
 *
 * The routers of the levels from h on join positions that differ in bits from h on alone, so they decompose
 * into 2^h columns, the positions with the same low h bits. Column c belongs to rank c >> (h - r), r = lg
 * ranks. A message of class L >= h climbs to level h in the subtree of its source, then continues in the
 * column of its choices, turns there, and descends into the subtree of its target:
 *
 *     subtree of the source   -> column: (column, target)
 *     column                  -> subtree of the target: label
 *     subtree of the target   -> column: where it was refused, or that it has arrived
 *     column                  -> subtree of the source: whether it has arrived
 *
 * These are four exchanges for each of the lg ranks classes from h on, and one that adds up the arrivals, in
 * a round: 18 bytes for each message of them. While they have many messages, they are in bit planes, and
 * planes cross the border (planes/labels_crossing.c): either all of these classes or none. Classes follow one
 * another as within one rank (labels_rounds.c). In a column a link has the class from which on it is free. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_BORDER_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_BORDER_H

#include "base/rank_group.h"
#include "engines/circuit/labels/labels_class.h"
#include "traffic/traffic.h"

typedef struct labels_border labels_border;

/* Of all ranks, by class: live messages; of a round: arrivals, and a bit for the lowest level reached. */
typedef struct labels_census {
    uint64_t live[LABELS_CLASSES], arrived[LABELS_CLASSES], reached[LABELS_CLASSES];
} labels_census;

/* What the border belongs to, and what must outlive it. lists: of the subtree, with places.top and
 * places.base. planes: NULL, or of the subtree. share: as in labels_tuning. */
typedef struct border_parts {
    const rank_group *group;
    label_lists *lists;
    labels_planes *planes;
    uint64_t share;
} border_parts;
bough_status labels_border_make(const border_parts *parts, labels_border **out, bough_error *error);
void labels_border_free(labels_border *border); /* NULL is allowed */

/* Starts a trial: reads the messages from the endpoints of the subtree. */
typedef struct border_batch {
    const bough_traffic *traffic;
    bough_key key;
    bough_batch *batch;
} border_batch;
bough_status labels_border_read(labels_border *border, const border_batch *read, bough_error *error);
/* Adds up census->live, in which this rank has counted its messages, and decides whether classes from h on
 * are dense. If so, the caller loads them into the planes, else they are copied into the border. ascend: the
 * sources of the batch do. status: of this rank so far. */
typedef struct border_messages {
    const bough_batch *batch;
    bool ascend;
    labels_census *census;
} border_messages;
bough_status labels_border_take(labels_border *border, bough_status status, const border_messages *messages,
                                bough_error *error);
/* Whether classes from h on are in planes. */
bool labels_border_dense(const labels_border *border);
/* Called before a round: takes classes of which few messages are left from the planes. */
bough_status labels_border_thin(labels_border *border, const labels_census *census, bough_error *error);
bough_status labels_border_agree(labels_border *border, bough_status status, bough_error *error);
/* Messages of this subtree of classes from h on, without those in planes. */
uint64_t labels_border_live(const labels_border *border);
/* Runs the classes from h on, after the others; then adds up what all ranks have noted in the census. status:
 * of this rank so far. */
bough_status labels_border_run(labels_border *border, class_run *run, labels_census *census,
                               bough_status status, bough_error *error);
/* Adds up the requested links. */
bough_status labels_border_claims(labels_border *border, uint64_t *claims, bough_error *error);

#endif
