/* One trial of a method that moves messages, whatever its engine (method/engine.h), and its results: rows of
 * a batch, of the steady state of a stream, or the saturation load. */
#ifndef BOUGH_METHOD_ENGINE_TRIAL_H
#define BOUGH_METHOD_ENGINE_TRIAL_H

#include "method/rows.h"
#include "method/steady_state.h"

/* Parameters that these methods share. They come first in a method's parameter table. */
enum {
    ENGINE_FIND,
    ENGINE_MESSAGES,
    ENGINE_WARMUP,
    ENGINE_LEVELS,
    ENGINE_HOT,
    ENGINE_LIMIT,
    ENGINE_TIME,
    ENGINE_PARAMS
};
#define ENGINE_PARAM_LIST                                                                                    \
    [ENGINE_FIND] = {"find", "measure the latency at the traffic's rate, or search for the saturation rate", \
                     BOUGH_CHOICE, "latency", .choices = "latency|saturation"},                              \
    [ENGINE_MESSAGES] = {"messages", "streams: deliveries to measure; default: 2^17, or 4 per endpoint",     \
                         BOUGH_INT,  "",                                                                     \
                         64,         0x1p32},                                                                \
    [ENGINE_WARMUP] =                                                                                        \
        {                                                                                                    \
            "warmup",                                                                                        \
            "streams: cycles (of a flit) to discard first; default: determined from the data (MSER)",        \
            BOUGH_INT,                                                                                       \
            "",                                                                                              \
            1,                                                                                               \
            1e12},                                                                                           \
    [ENGINE_LEVELS] = {"levels", "waiting time, holding time and utilization of links by level", BOUGH_FLAG, \
                       "0"},                                                                                 \
    [ENGINE_HOT] = {"hot", "number of hottest links to name", BOUGH_INT, "0", 0, SIM_HOT},                   \
    [ENGINE_LIMIT] = {"limit", "cycle at which a run is stopped", BOUGH_INT, "1e12", 1, 1e15},               \
    [ENGINE_TIME] = {"time",                                                                                 \
                     "cycles, in which a link carries one flit (packet), or the rates and delays of the "    \
                     "physical setting, with "                                                               \
                     "results in seconds; default: cycles, for schedules physical",                          \
                     BOUGH_CHOICE, "", .choices = "cycles|physical"}

/* The arguments of a run. */
typedef struct engine_settings {
    measurement_plan plan; /* the rate is set by each trial */
    double flits; /* mean flits of a message of the traffic's law (of the smallest one if there is no law) */
    uint64_t flit_bytes; /* in seconds: bytes of a flit */
    bool saturation, levels;
    bool steps;    /* time is counted in steps, and a batch reports the number of steps */
    bool times;    /* rows are in seconds */
    bool critical; /* schedules: the parameter TIMELINE_PARAM */
    unsigned hot;
    bough_clock clock; /* of the physical setting, set by the method; 0: time is in cycles */
} engine_settings;

/* Fills *settings from the arguments of the run and checks them against its traffic. flits: per unit of a
 * message's size. detect: search for deadlocked messages. */
bough_status engine_settings_bind(const bough_run *run, uint64_t flits, bool detect,
                                  engine_settings *settings, bough_error *error);
/* Sets run->in_seconds from time= and the traffic. Errors: INVALID, a schedule in cycles. */
bough_status engine_time_bind(bough_run *run, bough_error *error);
/* A flit, or a packet, of a run in seconds. */
typedef struct engine_unit {
    uint64_t data, wire; /* bytes; with its header */
    uint64_t tick_ps;
    uint64_t rate; /* of all links; 0: their own */
} engine_unit;
/* The clock of such a run: a cycle is the time of a unit at the fastest endpoint. */
void engine_clock_set(bough_run *run, const engine_unit *unit, engine_settings *settings);
/* Maximum number of messages that an engine has to hold at a time. */
uint64_t engine_live_messages(const bough_run *run, const engine_settings *settings);
/* With time in seconds: the delay of this number of links, in cycles of a stream, rounded up. */
uint64_t engine_delay_alone(const bough_run *run, const engine_settings *settings, uint64_t links);
/* Memory of the latency series, bytes. */
uint64_t engine_series_bytes(const bough_run *run, const engine_settings *settings);

void engine_workspace_free(void *workspace);

typedef struct engine_trial {
    const bough_run *run;
    bough_key key;
    const engine_settings *settings;
    bough_status (*create_engine)(const bough_run *run, sim_engine **engine, bough_error *error);
    struct thread_team *team; /* the trial may use it; NULL: one thread */
} engine_trial;

/* Runs one trial. *workspace becomes an engine_workspace. The engine is created once and started once, or
 * repeatedly for a saturation search. result: the last run; a method may append its own rows. */
bough_status engine_trial_run(const engine_trial *trial, void **workspace, measurement *result,
                              bough_rows *rows, bough_error *error);

#endif
