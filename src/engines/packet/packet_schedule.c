#include "engines/packet/packet_schedule.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/assumptions.h"
#include "method/message_routes.h"
#include "method/rows.h"
#include "method/transfers/timeline_rows.h"
#include "method/transfers/transfer_rows.h"
#include "traffic/schedules/messages_in_flight.h"
#include "traffic/schedules/workload.h"

/* ---- binding ---- */

static void assume(bough_run *run, const packet_schedule *s) {
    uint64_t header = bough_net_physical(run->point.net)->header;
    char data[40], more[40];
    run_format_bytes(s->o.packet, data, sizeof data);
    run_format_bytes(header, more, sizeof more);
    run_assume_links(run, s->o.rate);
    run_assume_delay(run);
    run_assume(run, "units", "packets of %s%s%s", data, header ? " and a header of " : "",
               header ? more : "");
    run_assume_sizes(run, 1);
    run_assume(run, "sharing", s->o.half ? "cables in turn, queues without limit" : "queues without limit");
    run_assume_hosts(run);
}

bough_status packet_schedule_open(bough_run *run, packet_schedule *s, bough_error *error) {
    const bough_routing *routing = run->point.routing;
    const bough_traffic *traffic = run->point.traffic;
    messages_in_flight live;
    if (routing->kind->via && routing->synchronous)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "%s waits until all packets are at their intermediate nodes, but the messages of "
                          "%s start at different times; use phase2=async",
                          routing->spec, traffic->spec);
    bough_status status = survey_message_routes(&run->point, &s->o.hops, error);
    TRY(packet_timed_check(routing, &s->o, error));
    TRY(messages_in_flight_of(traffic, s->o.packet, &live, error));
    if (status) return status;
    const packet_timed_load load = {live.messages, live.packets, traffic->messages};
    run->bytes = packet_timed_bytes(routing, &s->o, &load);
    assume(run, s);
    return timeline_rows_open(run, s->critical, error);
}

/* ---- rows ---- */

static double use_of(const void *engine, uint64_t link, uint64_t end) {
    return (double)packet_timed_busy(engine, link) / (double)end;
}

static bough_status add_queues(const packet_timed_totals *t, bough_rows *rows, bough_error *error) {
    bool some = t->packets > 0;
    const optional_row lines[] = {
        {some, BOUGH_METRIC_QUEUE_DELAY, some ? (double)t->wait / (double)t->packets / 1e12 : 0},
        {some, BOUGH_METRIC_QUEUE_DELAY_MAX, schedule_seconds(t->wait_max)},
        {some, BOUGH_METRIC_QUEUE_MAX, (double)t->queue_max},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}

/* A trial that has ended. */
typedef struct finished {
    const bough_run *run;
    const packet_schedule *s;
    packet_timed *engine;
    timeline *seen; /* NULL: nothing was recorded */
    transfer_schedule source;
} finished;

static bough_status report(const finished *t, bough_rows *rows, bough_error *error) {
    const bough_traffic *traffic = t->run->point.traffic;
    const packet_timed_totals *totals = packet_timed_result(t->engine);
    const bough_source_report *source = &t->source.report;
    transfer_links links;
    const transfer_result result = {.net = t->run->point.net,
                                    .end = totals->end > source->end ? totals->end : source->end,
                                    .arrived = totals->arrived,
                                    .hops = totals->hops,
                                    .hangs = source->waiting > 0,
                                    .ends = source->waiting == 0,
                                    .senders = totals->senders,
                                    .unrouted = totals->unrouted,
                                    .bits = totals->bits,
                                    .inside = totals->inside,
                                    .time = packet_timed_times(t->engine),
                                    .engine = t->engine,
                                    .use = use_of,
                                    .levels = t->s->levels,
                                    .hot = t->s->hot};
    if (totals->unrouted) {
        rows->outcome = BOUGH_RUN_PARTIAL;
        rows_note_unrouted(rows, result.net, totals->unrouted,
                           &(unrouted_message){totals->lost.source, totals->lost.address});
    }
    bough_status status = transfer_rows(&result, &links, rows, error);
    if (!result.hangs) TRY(add_queues(totals, rows, error));
    TRY(schedule_rows(traffic->workload, source, result.end, rows, error));
    TRY(transfer_label_rows(traffic, &t->source, rows, error));
    TRY(timeline_rows_add(t->run, t->seen, result.ends, rows, error));
    if (!status) transfer_name_links(result.net, &links, rows);
    if (!status && traffic->workload && result.ends) transfer_name_most_used(result.net, &links, rows);
    if (!status && t->source.job_time)
        status = schedule_job_rows(traffic->workload, t->source.job_time, NULL, rows, error);
    return status;
}

/* ---- trials ---- */

bough_status packet_schedule_trial(const method_trial *trial, const packet_schedule *s, packet_timed **engine,
                                   bough_rows *rows, bough_error *error) {
    const bough_run *run = trial->run;
    const bough_traffic *traffic = run->point.traffic;
    const bough_clock clock = {1, 1};
    packet_timed_input input = {.key = trial->key, .run = run, .messages = traffic->messages};
    finished t = {.run = run, .s = s};
    bough_status status = BOUGH_OK;
    if (!*engine) status = packet_timed_make(run->point.routing, &s->o, engine, error);
    t.engine = *engine;
    TRY(transfer_schedule_init(traffic, &t.source, error));
    TRY(timeline_rows_begin(run, s->critical, &t.seen, error));
    input.seen = t.seen;
    TRY(bough_traffic_open(traffic, trial->key, &clock, &input.source, error));
    if (!status) workload_observe(input.source, t.seen);
    TRY(packet_timed_run(t.engine, &input, error));
    TRY(transfer_schedule_read(traffic, input.source, &t.source, error));
    TRY(report(&t, rows, error));
    if (input.source) input.source->close(input.source);
    transfer_schedule_fini(&t.source);
    timeline_rows_end(run, t.seen);
    return status;
}
