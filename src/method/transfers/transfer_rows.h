/* Results of methods that carry messages in physical time, whatever carries them: times of messages, use of
 * links, and the outcome of a schedule. */
#ifndef BOUGH_METHOD_TRANSFERS_TRANSFER_ROWS_H
#define BOUGH_METHOD_TRANSFERS_TRANSFER_ROWS_H

#include "method/engine.h"
#include "method/transfers/schedule_rows.h"

/* ---- messages and links ---- */

typedef struct transfer_result {
    const bough_net *net;
    uint64_t end;           /* ps: of the run; operations of a schedule may continue after the last arrival */
    uint64_t arrived, hops; /* messages; total of their links */
    uint64_t senders;       /* endpoints that sent arrived messages */
    uint64_t unrouted;      /* messages that were left out */
    bool hangs;             /* a schedule that never completes: counts only */
    bool ends; /* the whole completes: no message of a batch was lost, no rank of a schedule waits */
    double bits, inside;  /* of data in arrived messages; of these, within compute nodes */
    const uint64_t *time; /* [arrived]: ps from start to arrival */
    const void *engine;   /* passed to use */
    double (*use)(const void *engine, uint64_t link, uint64_t end); /* fraction of end that a link is used */
    bool levels;                                                    /* report the use of links by level */
    unsigned hot;                                                   /* number of hottest links to report */
    unsigned threads;                                               /* that call use; 0: one */
} transfer_result;

/* The most used links, in descending order; hot: how many of the requested ones were used. */
typedef struct transfer_links {
    double use[SIM_HOT];
    uint64_t link[SIM_HOT];
    unsigned hot;
} transfer_links;

/* Whether messages from one endpoint to another do not leave a compute node. */
static inline bool transfer_inside(const bough_net *net, uint64_t from, uint64_t to) {
    const bough_compute_nodes *c = net->aggregation ? net->aggregation->base->compute : net->compute;
    if (!c) return false;
    const uint64_t gpus = c->setting->gpus, all = c->nodes * gpus;
    return from < all && to < all && from / gpus == to / gpus;
}

bough_status transfer_rows(const transfer_result *result, transfer_links *links, bough_rows *rows,
                           bough_error *error);
/* Adds to the note the names of the links to report. */
void transfer_name_links(const bough_net *net, const transfer_links *links, bough_rows *rows);
/* ... of the most used one, for what is compared with measurements. Before the names of jobs. */
void transfer_name_most_used(const bough_net *net, const transfer_links *links, bough_rows *rows);

/* ---- schedules ---- */

/* What the source of a run reports. Zero-initialise. */
typedef struct transfer_schedule {
    bool schedule; /* the source is a schedule */
    bough_source_report report;
    uint64_t *job_time;   /* [jobs], ps; NULL: not requested */
    ranks_totals *totals; /* NULL: not requested */
} transfer_schedule;

/* Requests the times of jobs and the totals, if the traffic has ranks. Errors: NO_MEMORY. */
bough_status transfer_schedule_init(const bough_traffic *traffic, transfer_schedule *schedule,
                                    bough_error *error);
void transfer_schedule_fini(transfer_schedule *schedule);
/* Reads a source that has ended. Errors: those of the source. */
bough_status transfer_schedule_read(const bough_traffic *traffic, bough_source *source,
                                    transfer_schedule *schedule, bough_error *error);
/* Adds the rows of labels. Nothing if there are jobs: their labels add nothing to their times. */
bough_status transfer_label_rows(const bough_traffic *traffic, const transfer_schedule *schedule,
                                 bough_rows *rows, bough_error *error);

#endif
