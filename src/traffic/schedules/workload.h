/* What traffics that are schedules share: where ranks sit, hosts as LogGOPS sees them, one source. A kind
 * makes a schedule and calls workload_make; its descriptor has WORKLOAD_PARAM_LIST behind its own parameters,
 * workload_open and workload_fini. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_WORKLOAD_H
#define BOUGH_TRAFFIC_SCHEDULES_WORKLOAD_H

#include "traffic/schedules/ranks.h"

#include "bough/traffic.h"

/* Ranks sit on nodes, `gpus` consecutive ones on each; a node has `rails` endpoints, and its g-th rank the
 * endpoint g rails / gpus of them. docs/workloads.md has the rule. */
#define WORKLOAD_PLACE_PARAM_LIST                                                                            \
    {"place",                                                                                                \
     "which endpoints a node has: linear (node by node), random, rail (rail by rail), or a file of lines "   \
     "of a rank and an endpoint's number or name",                                                           \
     BOUGH_TEXT, "linear"},                                                                                  \
        {"key", "of place=random: another placement for every key", BOUGH_INT, "0", 0, 0x1p53},              \
        {"gpus", "ranks of a node; they talk to each other within it", BOUGH_INT, "1", 1, 4096}, {           \
        "rails", "endpoints of a node, which its ranks share evenly", BOUGH_INT, "1", 1, 4096                \
    }

#define WORKLOAD_HOST_PARAM_LIST                                                                             \
    {                                                                                                        \
        "L", "without a network: from the last byte sent to the last byte there", BOUGH_TIME, "2500ns", 0,   \
        1e15},                                                                                               \
        {"o", "CPU time of a message, at either end", BOUGH_TIME, "1500ns", 0, 1e15},                        \
        {"g", "between two messages of a NIC, at least", BOUGH_TIME, "1000ns", 0, 1e15},                     \
        {"G", "without a network: of a NIC for each byte after the first", BOUGH_TIME, "6ns", 0, 1e15},      \
        {"O", "CPU time for each byte after the first", BOUGH_TIME, "0ps", 0, 1e15}, {                       \
        "S", "sends of more bytes have ended when a receive has taken the message (rendezvous); 0: none do", \
            BOUGH_BYTES, "65535", 0, 0x1p62                                                                  \
    }

#define WORKLOAD_PARAM_LIST WORKLOAD_PLACE_PARAM_LIST, WORKLOAD_HOST_PARAM_LIST

/* How many ranks there is room for, under args that have WORKLOAD_PLACE_PARAM_LIST; at most 2^28. */
uint32_t workload_room(const bough_args *args, const bough_net *net);
/* Fails where so many do not fit (place=FILE: whatever the file says fits). name: for the message. */
bough_status workload_check_room(const bough_args *args, const bough_net *net, uint64_t ranks,
                                 const char *name, bough_error *error);
/* The endpoints of ranks 0 .. ranks-1. Errors: INVALID, NO_MEMORY. */
bough_status workload_place(const bough_args *args, const bough_net *net, uint32_t ranks, const char *name,
                            uint32_t *endpoint, bough_error *error);

/* Makes `traffic` one of this schedule, which it takes over, also after an error. payload, bus_factor: as in
 * bough_workload. Errors: INVALID (sends and receives that cannot come out even, ranks that do not fit onto
 * the endpoints, a placement that is wrong), NO_MEMORY. */
bough_status workload_make(bough_schedule *schedule, uint64_t payload, double bus_factor,
                           bough_traffic *traffic, bough_error *error);
/* The same where ranks have their places already, and belong to jobs; takes over endpoint and job, too. The
 * kind has WORKLOAD_HOST_PARAM_LIST alone. */
bough_status workload_make_jobs(bough_schedule *schedule, uint32_t *endpoint, bough_job *job, uint32_t jobs,
                                bough_traffic *traffic, bough_error *error);
bough_status workload_open(const bough_traffic *traffic, bough_key key, const bough_clock *clock,
                           bough_source **source, bough_error *error);
/* One job alone, in the same place; the others do nothing. */
bough_status workload_open_job(const bough_traffic *traffic, uint32_t job, const bough_clock *clock,
                               bough_source **source, bough_error *error);
/* When the last operation of a job ended, in ps since its start. */
uint64_t workload_job_time(const bough_traffic *traffic, const rank_engine *ranks, uint32_t job);
/* Those behind a source that workload_open made. */
const rank_engine *workload_ranks(const bough_source *source);
void workload_fini(bough_traffic *traffic);

/* What a trial without an engine needs. Of a traffic that has a workload. */
const match_plan *workload_match(const bough_traffic *traffic);

extern const bough_traffic_kind bough_traffic_goal;

#endif
