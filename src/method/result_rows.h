/* What a method that moves messages answers, whatever its engine: rows of a batch, of the steady state of a
 * stream, or the load at which the network saturates. */
#ifndef BOUGH_METHOD_RESULT_ROWS_H
#define BOUGH_METHOD_RESULT_ROWS_H

#include "method/steady_state.h"

/* Parameters that such methods have in common; they come first in a method's table. */
enum { ANSWER_FIND, ANSWER_MESSAGES, ANSWER_WARMUP, ANSWER_LEVELS, ANSWER_HOT, ANSWER_LIMIT, ANSWER_PARAMS };
#define ANSWER_PARAM_LIST                                                                                    \
    [ANSWER_FIND] = {"find", "latency at the traffic's rate, or the rate at which the network saturates",    \
                     BOUGH_CHOICE, "latency", .choices = "latency|saturation"},                              \
    [ANSWER_MESSAGES] = {"messages", "deliveries to measure of a stream; default: 2^17, or 4 an endpoint",   \
                         BOUGH_INT,  "",                                                                     \
                         64,         0x1p32},                                                                \
    [ANSWER_WARMUP] = {"warmup",  "cycles to discard first; default: found from the data (MSER)",            \
                       BOUGH_INT, "",                                                                        \
                       1,         1e12},                                                                     \
    [ANSWER_LEVELS] = {"levels", "waits, holding times and use of links by level", BOUGH_FLAG, "0"},         \
    [ANSWER_HOT] = {"hot", "how many of the hottest links to name", BOUGH_INT, "0", 0, SIM_HOT},             \
    [ANSWER_LIMIT] = {"limit", "cycles after which a run is cut off", BOUGH_INT, "1e12", 1, 1e15}

typedef struct answer {
    measure_plan plan; /* rate is the trial's */
    uint64_t flits;    /* of a message of the traffic's law (of its smallest, where it has none) */
    bool saturation, levels;
    bool steps; /* time is counted in steps, and what a batch is asked for is how many it takes */
    unsigned hot;
    bough_clock clock; /* of a schedule, set by the method; else 0 */
} answer;

/* Fills *a from the run's arguments, checked against its traffic. flits: per unit of a message's size.
 * longest: links of the longest route. detect: look for messages that can never move. */
bough_status answer_open(const bough_run *run, uint64_t flits, bool detect, answer *a, bough_error *error);
/* Messages that an engine may have to hold at a time. */
uint64_t answer_live(const bough_run *run, const answer *a);
/* Bytes of the series. */
uint64_t answer_bytes(const bough_run *run, const answer *a);

/* The workspace of such a method. */
typedef struct answer_space {
    sim_engine *engine;
    measure_series series;
} answer_space;
void answer_space_free(void *space);

/* One trial: *space becomes an answer_space with the engine that make gives, and the engine is started (again
 * and again where a saturation is looked for). result: of the last run; rows of a method's own may follow. */
bough_status answer_trial(const bough_run *run, const answer *a,
                          bough_status (*make)(const bough_run *run, sim_engine **engine, bough_error *error),
                          void **space, bough_key key, measure_result *result, bough_rows *rows,
                          bough_error *error);

/* A row, if said. */
typedef struct answer_line {
    bool said;
    bough_metric_id metric;
    double value, ci95; /* ci95: the value's own interval, 0: none */
} answer_line;
bough_status answer_add(bough_rows *rows, const answer_line *line, size_t count, bough_error *error);

#endif
