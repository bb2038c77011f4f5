/* Pipelines of pieces between members on nodes, the common part of the algorithms of GPU libraries. A
 * channel passes pieces of the vector along links from member to member. The pieces of a link follow each
 * other: one leaves when the one before it has arrived (if it has more than S= bytes), so that a link carries
 * one at a time.
 *
 *     pipeline_begin       the nodes of the members; all start when their last operations have ended
 *     pipeline_hop         one piece over one link
 *     pipeline_end         the next operation of a member waits for all its pieces
 *
 * Members are numbered as in collective.h. */
#ifndef BOUGH_TRAFFIC_COLLECTIVES_PIPELINE_H
#define BOUGH_TRAFFIC_COLLECTIVES_PIPELINE_H

#include "traffic/collectives/collective.h"

#include <stddef.h>

#define PIPELINE_AFTER 3

typedef struct pipeline_tail {
    uint32_t member, op;
} pipeline_tail;

typedef struct pipeline {
    collective *c;
    uint32_t n, nodes;
    uint32_t most;     /* members of the largest node */
    uint32_t rails;    /* NICs that the members of each node use: of the node that uses the fewest */
    bool cross;        /* a channel leaves a node by the next NIC, as some member has one for itself */
    uint32_t *order;   /* [n]: members, node by node, in the order of ranks */
    uint32_t *first;   /* [nodes + 1]: of a node in order */
    uint32_t *node;    /* [n]: of a member; then adders, each on a node of its own */
    uint32_t *entry;   /* [n]: from first[node]: positions on the node of the first member of each NIC */
    uint32_t *entries; /* [nodes]: their number */
    uint32_t *start;   /* [n]: operation before all pieces of a member; then adders, which have none */
    uint32_t *turns;   /* [n]: delays of a member in the present channel */
    pipeline_tail *tail;
    size_t tails, capacity;
    uint64_t items;       /* the vector is divided into; 0: the caller states bytes */
    uint64_t delay[2];    /* ns of a hop, within a node and between nodes */
    uint32_t lane, lanes; /* present channel; their number */
    uint32_t under_way;   /* pieces of a channel whose delays of one member overlap, at most */
} pipeline;

/* Sorts the members by node. Sets c->status on failure; pipeline_end frees what was made. */
void pipeline_begin(pipeline *p, collective *c);
/* Adds the operations that start all members, `latency` ns after their last operations. */
void pipeline_start(pipeline *p, uint64_t latency);
void pipeline_end(pipeline *p);
/* Frees it without operations; pipeline_end includes it. */
void pipeline_fini(pipeline *p);
/* Begins channel `lane`, whose delays are independent of others. */
void pipeline_lane(pipeline *p, uint32_t lane);

/* One direction between two members. Several links may share `sent` or `got`: then their messages follow
 * each other at the sender or the receiver. Both start as COLLECTIVE_NOBODY. */
typedef struct pipeline_link {
    uint32_t from, to;
    uint32_t *sent, *got; /* last operations at the sender and the receiver */
} pipeline_link;

typedef struct pipeline_piece {
    uint64_t item, count; /* reported to the observer; their bytes are sent */
    bool reduce;
    bool quick;     /* without latency: a later piece of the same step has it */
    uint64_t bytes; /* if p->items is 0: the caller reports the items */
} pipeline_piece;

/* Sends a piece when the sender's operations `after` (COLLECTIVE_NOBODY: none) have ended. Returns the
 * operation after which the receiver has it. The caller ends the step. */
uint32_t pipeline_hop(pipeline *p, pipeline_link link, const uint32_t after[PIPELINE_AFTER],
                      pipeline_piece piece);
/* The member of `op` ends after it. */
void pipeline_tail_add(pipeline *p, uint32_t member, uint32_t op);

/* Pieces of `bytes` bytes, at most `most`: chunks, or larger pieces. Records both in c->made. */
uint32_t pipeline_pieces(pipeline *p, uint64_t bytes, uint64_t most);
/* The most messages that pieces may make of a schedule that has this number without. */
uint64_t pipeline_budget(uint64_t messages);
/* Channels: as asked for, or one per NIC. */
uint32_t pipeline_channels(const pipeline *p);
/* The member at a position of a node in a channel: position 0 is on the channel's NIC. Position 1, the other
 * one that talks to other nodes, is on it too if all NICs have several members, else on the next NIC: so
 * every NIC carries the same in both directions. */
uint32_t pipeline_member(const pipeline *p, uint32_t node, uint32_t channel, uint32_t position);

/* ---- rings and trees ---- */

/* Blocks around a ring. Block j belongs to position j, and ends there after the reduction. */
typedef struct pipeline_ring {
    uint32_t n;
    const uint32_t *member; /* [n] */
    const uint64_t *item;   /* [n]: first item of the block of a position; a piece is an item */
    uint32_t pieces;
    bool reduce, gather;
    const uint32_t *own; /* [n][n pieces]: operation after which a position has its part of a piece; NULL:
                            from the start */
    uint32_t *done;      /* [n][n pieces]: operation after which it has the result; NULL: not asked for */
} pipeline_ring;
void pipeline_ring_run(pipeline *p, const pipeline_ring *ring);
/* Writes the members of a ring in order: node by node, through all members of a node. */
void pipeline_ring_order(const pipeline *p, uint32_t channel, uint32_t *member);

/* Pieces up a tree, added at every member, and down again. */
typedef struct pipeline_tree {
    uint32_t n;
    const uint32_t *member, *up; /* [n]: index of the parent; COLLECTIVE_NOBODY: the root */
    uint64_t item;
    uint32_t pieces;
    const uint32_t *own; /* [n][stride], of which the first `pieces`; as above */
    uint32_t *done;      /* the same */
    size_t stride;
} pipeline_tree;
void pipeline_tree_run(pipeline *p, const pipeline_tree *tree);
/* The parent of node k of K in the first (0) or second (1) of two binary trees, of which each node is an
 * inner node of at most one; COLLECTIVE_NOBODY: the root. lower: k is the child on the lower side. */
uint32_t pipeline_tree_parent(uint32_t k, uint32_t nodes, unsigned tree, bool *lower);
uint32_t pipeline_tree_depth(uint32_t nodes);

#endif
