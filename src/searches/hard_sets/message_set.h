/* A set of messages that grows and shrinks: what a search changes. */
#ifndef BOUGH_ENGINES_HARD_SETS_MESSAGE_SET_H
#define BOUGH_ENGINES_HARD_SETS_MESSAGE_SET_H

#include "traffic/traffic.h"

/* Endpoint to endpoint. No endpoint sends, or receives, more than `degree` messages. */
typedef struct message_set {
    uint64_t endpoints, degree;
    uint32_t *source, *destination; /* [endpoints x degree] */
    uint64_t count;
    uint32_t *sends, *receives; /* [endpoints]: number of messages */
} message_set;

/* An empty set. Errors: TOO_LARGE, NO_MEMORY. */
bough_status message_set_make(uint64_t endpoints, uint64_t degree, message_set *set, bough_error *error);
void message_set_fini(message_set *set);
void message_set_copy(const message_set *from, message_set *to); /* made alike */

/* Writes the number-th of the sets that a search starts from, and its name; empty if this network has no such
 * set. False beyond the last. */
#define SET_NAME_MAX 48
typedef struct set_start {
    bough_key key;
    unsigned number;
    char name[SET_NAME_MAX];
    bool no_memory; /* set: the set could not be made */
} set_start;
bool message_set_start(const bough_net *net, set_start *start, message_set *set);

/* A random change: two blocks of endpoints exchange their destinations, the messages of a block are dropped,
 * or one block sends to another. The set may become empty. O(messages). */
void message_set_change(message_set *set, bough_stream *draw);

#endif
