/* Results of methods that move messages, whatever their engine: rows of a batch, of the steady state of a
 * stream, or the saturation load. */
#ifndef BOUGH_METHOD_RESULT_ROWS_H
#define BOUGH_METHOD_RESULT_ROWS_H

#include "method/steady_state.h"

/* Parameters that these methods share. They come first in a method's parameter table. */
enum { ANSWER_FIND, ANSWER_MESSAGES, ANSWER_WARMUP, ANSWER_LEVELS, ANSWER_HOT, ANSWER_LIMIT, ANSWER_PARAMS };
#define ANSWER_PARAM_LIST                                                                                    \
    [ANSWER_FIND] = {"find", "measure the latency at the traffic's rate, or search for the saturation rate", \
                     BOUGH_CHOICE, "latency", .choices = "latency|saturation"},                              \
    [ANSWER_MESSAGES] = {"messages", "streams: deliveries to measure; default: 2^17, or 4 per endpoint",     \
                         BOUGH_INT,  "",                                                                     \
                         64,         0x1p32},                                                                \
    [ANSWER_WARMUP] = {"warmup",                                                                             \
                       "streams: cycles to discard first; default: determined from the data (MSER)",         \
                       BOUGH_INT,                                                                            \
                       "",                                                                                   \
                       1,                                                                                    \
                       1e12},                                                                                \
    [ANSWER_LEVELS] = {"levels", "waiting time, holding time and utilization of links by level", BOUGH_FLAG, \
                       "0"},                                                                                 \
    [ANSWER_HOT] = {"hot", "number of hottest links to name", BOUGH_INT, "0", 0, SIM_HOT},                   \
    [ANSWER_LIMIT] = {"limit", "cycle at which a run is stopped", BOUGH_INT, "1e12", 1, 1e15}

typedef struct answer {
    measure_plan plan; /* the rate is set by each trial */
    uint64_t flits; /* flits of a message of the traffic's law (of the smallest message if there is no law) */
    bool saturation, levels;
    bool steps; /* time is counted in steps, and a batch reports the number of steps */
    unsigned hot;
    bough_clock clock; /* for schedules, set by the method; else 0 */
} answer;

/* Fills *a from the arguments of the run and checks them against its traffic. flits: per unit of a message's
 * size. longest: links of the longest route. detect: search for deadlocked messages. */
bough_status answer_open(const bough_run *run, uint64_t flits, bool detect, answer *a, bough_error *error);
/* Maximum number of messages that an engine has to hold at a time. */
uint64_t answer_live(const bough_run *run, const answer *a);
/* Memory of the latency series, bytes. */
uint64_t answer_bytes(const bough_run *run, const answer *a);

/* The workspace of these methods. */
typedef struct answer_space {
    sim_engine *engine;
    measure_series series;
} answer_space;
void answer_space_free(void *space);

/* Runs one trial. *space becomes an answer_space with the engine that `make` creates. The engine is started
 * once, or repeatedly for a saturation search. result: the last run; a method may append its own rows. */
bough_status answer_trial(const bough_run *run, const answer *a,
                          bough_status (*make)(const bough_run *run, sim_engine **engine, bough_error *error),
                          void **space, bough_key key, measure_result *result, bough_rows *rows,
                          bough_error *error);

/* A row, added only if `said`. */
typedef struct answer_line {
    bool said;
    bough_metric_id metric;
    double value, ci95; /* ci95: half-width of the 95 % interval of the value; 0: none */
} answer_line;
bough_status answer_add(bough_rows *rows, const answer_line *line, size_t count, bough_error *error);

#endif
