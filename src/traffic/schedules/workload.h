/* Common parts of schedule traffic: placement of ranks, LogGOPS hosts, the message source. A kind creates a
 * schedule and calls workload_make. Its descriptor has WORKLOAD_PARAM_LIST after its own parameters,
 * workload_open and workload_fini. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_WORKLOAD_H
#define BOUGH_TRAFFIC_SCHEDULES_WORKLOAD_H

#include "traffic/schedules/ranks.h"

#include "traffic/traffic.h"

/* `gpus` consecutive ranks are placed on each node. A node has `rails` endpoints; its g-th rank uses endpoint
 * g rails / gpus of them. See docs/workloads.md. */
#define WORKLOAD_PLACE_PARAM_LIST                                                                            \
    {"place",                                                                                                \
     "endpoints of nodes: linear (node by node), random, rail (rail by rail), or a file with lines of "      \
     "a rank and the number or name of an endpoint",                                                         \
     BOUGH_TEXT, "linear"},                                                                                  \
        {"key", "key of place=random", BOUGH_INT, "0", 0, 0x1p53},                                           \
        {"failover",                                                                                         \
         "ranks whose endpoint is dead use the next live one of their node (rails=); 0: they never finish",  \
         BOUGH_FLAG, "0"},                                                                                   \
        {"gpus", "ranks per node; messages between them do not enter the network", BOUGH_INT, "1", 1, 4096}, \
    {                                                                                                        \
        "rails", "endpoints per node, divided evenly among its ranks", BOUGH_INT, "1", 1, 4096               \
    }

/* The defaults are those of the physical setting. */
#define WORKLOAD_HOST_PARAM_LIST                                                                             \
    {"L",        "without a network: time from the departure of the last byte to its arrival; with G=",      \
     BOUGH_TIME, "",                                                                                         \
     0,          1e15},                                                                                      \
        {"o", "CPU time per message, at either end", BOUGH_TIME, "", 0, 1e15},                               \
        {"g", "minimum time between two messages of a NIC", BOUGH_TIME, "", 0, 1e15},                        \
        {"G", "without a network: NIC time per byte after the first; with L=", BOUGH_TIME, "", 0, 1e15},     \
        {"O", "CPU time per byte after the first", BOUGH_TIME, "", 0, 1e15},                                 \
        {"S",         "sends of more bytes end when a receive has taken the message (rendezvous); 0: none",  \
         BOUGH_BYTES, "",                                                                                    \
         0,           0x1p62},                                                                               \
    {                                                                                                        \
        "jitter", "variation of the time of computations, as in the physical setting", BOUGH_TEXT, ""        \
    }

#define WORKLOAD_PARAM_LIST WORKLOAD_PLACE_PARAM_LIST, WORKLOAD_HOST_PARAM_LIST

struct collective_seat;

/* How ranks are divided among nodes, with args that have WORKLOAD_PLACE_PARAM_LIST: by gpus= and rails=, or
 * by the compute nodes of the network. */
typedef struct workload_nodes {
    uint32_t ranks, nics; /* of a node; nics divides ranks */
} workload_nodes;
workload_nodes workload_nodes_of(const bough_args *args, const bough_net *net);

/* The number of ranks that fit, with args that have WORKLOAD_PLACE_PARAM_LIST; at most 2^28. */
uint32_t workload_room(const bough_args *args, const bough_net *net);
/* Fails if this number of ranks does not fit (place=FILE: any number in the file fits). name: for the
 * message. */
bough_status workload_check_room(const bough_args *args, const bough_net *net, uint64_t ranks,
                                 const char *name, bough_error *error);
/* Computes the endpoints of ranks 0 .. ranks-1 of traffic with WORKLOAD_PLACE_PARAM_LIST. name: for the
 * message. Errors: INVALID, NO_MEMORY. */
bough_status workload_place(const bough_traffic *traffic, uint32_t ranks, const char *name,
                            uint32_t *endpoint, bough_error *error);

/* Where ranks 0 .. ranks-1 are, as workload_place places them; NULL: consecutive ranks are on a node. The
 * caller frees *seat. Errors: as of workload_place. */
bough_status workload_seats(const bough_traffic *traffic, uint32_t ranks, const char *name,
                            struct collective_seat **seat, bough_error *error);

/* The costs of hosts: those of the network's physical setting, with the values that the spec gives. Errors:
 * INVALID (jitter). */
bough_status workload_host(const bough_traffic *traffic, bough_host *host, bough_error *error);
/* Sets those that args with WORKLOAD_HOST_PARAM_LIST give, except jitter. */
void workload_set_costs(const bough_args *args, bough_host *host);
/* Binds traffic to a schedule and takes ownership of it, also on error. payload, bus_factor: as in
 * bough_workload. Errors: INVALID (unbalanced sends and receives, too many ranks for the endpoints, an
 * invalid placement), NO_MEMORY. */
bough_status workload_make(bough_schedule *schedule, uint64_t payload, double bus_factor,
                           bough_traffic *traffic, bough_error *error);
/* Sets `how` of traffic that was bound. */
void workload_describe(bough_traffic *traffic, const bough_workload_how *how);
/* The same for ranks that are already placed: `placed` has all but host and how, node only
 * with jobs, and gives up ownership of what it points to. The kind needs WORKLOAD_HOST_PARAM_LIST only; with
 * that of places gpus= applies, where adders are nodes of their own. */
bough_status workload_make_placed(const bough_workload *placed, bough_traffic *traffic, bough_error *error);
bough_status workload_open(const bough_traffic *traffic, bough_key key, const bough_clock *clock,
                           bough_source **source, bough_error *error);
/* One job, or two, in the placement of all. */
typedef struct workload_jobs {
    bough_key key; /* of the trial */
    const bough_clock *clock;
    uint32_t one, other; /* equal: one */
} workload_jobs;
/* Opens these jobs; ranks of the others do nothing. */
bough_status workload_open_jobs(const bough_traffic *traffic, const workload_jobs *jobs,
                                bough_source **source, bough_error *error);
/* The end of the last operation of a job, in ps since its start; BOUGH_NONE if it never ends. */
uint64_t workload_job_time(const bough_traffic *traffic, const rank_engine *ranks, uint32_t job);
/* Records a source of a schedule or a list: traffic/timeline/timeline.h. Call it before the first message.
 * NULL: records nothing. Borrows seen. */
void workload_observe(bough_source *source, struct timeline *seen);
/* The execution behind a source made by workload_open. */
const rank_engine *workload_ranks(const bough_source *source);
void workload_fini(bough_traffic *traffic);

/* For trials without an engine; the traffic must have a workload. */
const match_plan *workload_match(const bough_traffic *traffic);

extern const bough_traffic_kind bough_traffic_goal;

#endif
