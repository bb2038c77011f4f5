/* The game of bins with bins for every level of a tree. A ball is a message; the level of its nearest common
 * ancestor is drawn once. In every round it passes, on its way up and then down, the bins of the levels below
 * that one: at each it goes into a random bin, and as many balls of a bin as its capacity go on. Who passes
 * all is delivered.
 *
 * A bin stands for a group of links, and its capacity is their number. The bins of a level are calibrated as
 * in Corollary 1: 1 / Pr[two messages that pass the level request links of one group there for the first
 * time]. Levels at which a switch has as many links up as down refuse no message on its way up, and have no
 * bins for it. */
#ifndef BOUGH_MODELS_COLLISION_LEVEL_BINS_H
#define BOUGH_MODELS_COLLISION_LEVEL_BINS_H

#include "models/collision/collision.h"

/* A set of bins that the balls with a level above `below` pass. */
typedef struct level_stage {
    unsigned below;
    bool down;
    uint64_t bins, capacity;
} level_stage;

typedef struct level_game {
    level_stage stage[2 * COLLISION_LEVELS]; /* in the order in which they are passed */
    unsigned stages, levels;
    double upto[COLLISION_LEVELS + 1]; /* probability of a level at most l */
    uint64_t balls, bins_max;
} level_game;

/* Errors: UNSUPPORTED if the network has no closed form. */
bough_status level_game_make(const bough_net *net, uint64_t balls, level_game *game, bough_error *error);

/* Memory of a game that is played; zero-initialised. */
typedef struct level_table {
    uint8_t *level;   /* of each remaining ball */
    uint32_t *inside; /* balls that are still on their way */
    uint32_t *count;  /* balls that passed a bin of the present stage */
} level_table;
uint64_t level_game_bytes(const level_game *game);
bough_status level_table_make(const level_game *game, level_table *table, bough_error *error);
void level_table_fini(level_table *table);

/* Draws the levels of all balls. */
void level_game_start(const level_game *game, level_table *table, bough_key key);
/* Plays a round (from 1) with the first `left` balls; returns the number of delivered ones, which are
 * removed.
 */
uint64_t level_game_round(const level_game *game, level_table *table, bough_key key, uint64_t round,
                          uint64_t left);

#endif
