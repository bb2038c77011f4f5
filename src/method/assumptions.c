#include "method/assumptions.h"

#include "base/text/text.h"
#include "network/faults/faults.h"
#include "traffic/schedules/schedule.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void run_assume(bough_run *run, const char *what, const char *format, ...) {
    if (run->assumptions == BOUGH_ASSUMPTIONS_MAX) return;
    bough_assumption *a = &run->assumption[run->assumptions++];
    va_list args;
    va_start(args, format);
    snprintf(a->what, sizeof a->what, "%s", what);
    vsnprintf(a->value, sizeof a->value, format, args);
    va_end(args);
}

enum { MEASURE = 40 };

char *run_format_bytes(uint64_t bytes, char *buffer, size_t size) {
    bough_format_measure(BOUGH_BYTES, (int64_t)bytes, buffer, size);
    size_t length = strlen(buffer);
    if (length && buffer[length - 1] != 'B') snprintf(buffer + length, size - length, "B");
    return buffer;
}

/* "100Gb/s"; four digits of rates that are not round: "1.333Gb/s". */
static char *format_rate(uint64_t rate, char buffer[MEASURE]) {
    static const char *const unit[] = {"b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s"};
    double value = (double)rate;
    unsigned i = 0;
    bough_format_measure(BOUGH_RATE, (int64_t)rate, buffer, MEASURE);
    if (strspn(buffer, "0123456789") <= 5) return buffer;
    for (; value >= 1000 && i < 4; i++) value /= 1000;
    snprintf(buffer, MEASURE, "%.4g%s", value, unit[i]);
    return buffer;
}

static void assume_nodes(bough_run *run, const bough_compute_nodes *c) {
    const bough_node_setting *n = c->setting;
    const bool from_file =
        c->fabric->fabric && c->fabric->fabric->servers && strcmp(c->fabric->fabric->servers, n->spec) == 0;
    char nvlink[MEASURE], pcie[MEASURE], delay[MEASURE], far[MEASURE], inside[2 * MEASURE + 16],
        outside[2 * MEASURE + 16];
    bough_format_measure(BOUGH_TIME, (int64_t)n->nvlink_delay, delay, sizeof delay);
    bough_format_measure(BOUGH_TIME, (int64_t)n->pcie_delay, far, sizeof far);
    snprintf(inside, sizeof inside, "NVSwitch %s, %s a link", format_rate(n->nvlink, nvlink), delay);
    snprintf(outside, sizeof outside, "PCIe %s, %s", format_rate(n->pcie, pcie), far);
    if (n->pcie == BOUGH_PCIE_NONE) snprintf(outside, sizeof outside, "NICs on the GPUs");
    run_assume(run, "nodes", "%s: %u GPU%s, %u NIC%s; %s; %s%s%s", n->spec, n->gpus, bough_s(n->gpus),
               n->nics, bough_s(n->nics), n->nvlink ? inside : "no NVSwitch", outside, n->pxn ? "; PXN" : "",
               from_file ? "; as the file describes them" : "");
}

static void assume_aggregation(bough_run *run, const bough_aggregation *a) {
    char delay[MEASURE];
    bough_format_measure(BOUGH_TIME, (int64_t)a->delay, delay, sizeof delay);
    run_assume(run, "sharp", "%" PRIu64 " switch%s, %s to add", a->count, a->count == 1 ? "" : "es", delay);
}

void run_assume_links(bough_run *run, uint64_t rate) {
    const bough_net *net = run->point.net;
    if (net->aggregation) {
        assume_aggregation(run, net->aggregation);
        net = net->aggregation->base;
    }
    if (net->compute && !rate) {
        assume_nodes(run, net->compute);
        net = net->compute->fabric;
    }
    char low[MEASURE], high[MEASURE], usual[MEASURE];
    if (rate) {
        run_assume(run, "links", "%s", format_rate(rate, low));
        return;
    }
    bough_rate_range range = bough_net_rate_range(net);
    format_rate(range.low, low);
    format_rate(range.high, high);
    format_rate(bough_net_physical(net)->rate, usual);
    bool known = range.own == net->links && net->links > 0, some = range.own > 0 && !known;
    char slow[80] = "";
    const bough_fault_report *faults = net->faults;
    if (faults && faults->slow_links)
        snprintf(slow, sizeof slow, "; %" PRIu64 " slow, down to %g %%", faults->slow_links,
                 100 * faults->rate_least);
    run_assume(run, "links", "%s%s%s%s%s%s%s", low, range.low < range.high ? " to " : "",
               range.low < range.high ? high : "", known ? ", as the network states" : "",
               some ? "; unknown rates: " : "", some ? usual : "", slow);
}

/* Without compute nodes and switches that add. */
static const bough_net *below(const bough_net *net) {
    if (net->aggregation) net = net->aggregation->base;
    return net->compute ? net->compute->fabric : net;
}

/* Lowest and highest delay of links between devices, where the network states them; false: it does not. */
static bool stated_delays(const bough_net *net, uint64_t range[2]) {
    if (!net->ops->link_delay || net->links == 0) return false;
    range[0] = UINT64_MAX;
    range[1] = 0;
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t delay = bough_net_link_delay(net, l);
        if (delay < range[0]) range[0] = delay;
        if (delay > range[1]) range[1] = delay;
    }
    return true;
}

/* What the file of a network states and no method uses, in the words of its findings. */
static void assume_unused(bough_run *run) {
    static const char *const kinds[] = {"latencies", "nvswitches", "error-rates"};
    const bough_fabric *f = below(run->point.net)->fabric;
    for (size_t i = 0; f && i < f->findings.count; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(f->findings.item[i].kind, kinds[k]) == 0)
                run_assume(run, kinds[k], "%s", f->findings.item[i].text);
}

void run_assume_delay(bough_run *run) {
    const bough_physical *p = bough_net_physical(run->point.net);
    uint64_t range[2] = {p->delay, p->delay};
    bool stated = stated_delays(below(run->point.net), range);
    char link[MEASURE], most[MEASURE], device[MEASURE];
    bough_format_measure(BOUGH_TIME, (int64_t)range[0], link, sizeof link);
    bough_format_measure(BOUGH_TIME, (int64_t)range[1], most, sizeof most);
    bough_format_measure(BOUGH_TIME, (int64_t)p->switch_delay, device, sizeof device);
    run_assume(run, "delay", "%s%s%s a link%s%s%s%s", link, range[0] < range[1] ? " to " : "",
               range[0] < range[1] ? most : "", stated ? ", as the network states" : "",
               p->switch_delay ? ", " : "", p->switch_delay ? device : "",
               p->switch_delay ? " a switch" : "");
    assume_unused(run);
}

void run_assume_sizes(bough_run *run, uint64_t unit) {
    const bough_traffic *t = run->point.traffic;
    char bytes[MEASURE];
    if (t->shape != BOUGH_SCHEDULE)
        run_assume(run, "sizes", t->units ? "%s times the size in the list" : "%s a message",
                   run_format_bytes(unit, bytes, sizeof bytes));
    else if (t->workload && t->workload->payload)
        run_assume(run, "sizes", "%s a rank in all",
                   run_format_bytes(t->workload->payload, bytes, sizeof bytes));
    if (t->ignored) run_assume(run, "ignored", "%s", t->ignored);
}

/* Where computations do not take the time that the schedule has. */
static void run_assume_computations(bough_run *run, const bough_workload *w) {
    const bough_fault_report *faults = run->point.net->faults;
    char jitter[80], slow[80] = "";
    bool varies = w->host.jitter.kind != BOUGH_JITTER_NONE;
    if (faults && faults->slow_hosts)
        snprintf(slow, sizeof slow, "on %" PRIu64 " host%s up to %g times as long", faults->slow_hosts,
                 faults->slow_hosts == 1 ? "" : "s", faults->compute_most);
    if (!varies && !*slow) return;
    run_assume(run, "computations", "%s%s%s%s", slow, *slow && varies ? "; " : "", varies ? "jitter " : "",
               varies ? bough_jitter_text(&w->host.jitter, jitter, sizeof jitter) : "");
}

static char *format_host(const bough_host *h, char *buffer, size_t size) {
    char o[MEASURE], g[MEASURE], O[MEASURE], S[MEASURE];
    bough_format_measure(BOUGH_TIME, (int64_t)h->o, o, sizeof o);
    bough_format_measure(BOUGH_TIME, (int64_t)h->g, g, sizeof g);
    bough_format_measure(BOUGH_TIME, (int64_t)h->O, O, sizeof O);
    run_format_bytes(h->S, S, sizeof S);
    snprintf(buffer, size, "o=%s, g=%s%s%s%s%s", o, g, h->O ? ", O=" : "", h->O ? O : "", h->S ? ", S=" : "",
             h->S ? S : "");
    return buffer;
}

/* The jobs with the costs of each of the first few that differ. */
static void assume_job_hosts(bough_run *run, const bough_workload *w) {
    char first[4 * MEASURE], other[4 * MEASURE];
    uint32_t differ = 0, named = 0;
    format_host(&w->job_host[0], first, sizeof first);
    for (uint32_t j = 1; j < w->jobs; j++) {
        if (strcmp(format_host(&w->job_host[j], other, sizeof other), first) == 0) continue;
        if (!differ++) named = j;
    }
    if (!differ) {
        run_assume(run, "hosts", "%s", first);
        return;
    }
    format_host(&w->job_host[named], other, sizeof other);
    run_assume(run, "hosts", "%s (job %.40s); %s (job %.40s%s)", first, w->job[0].name, other,
               w->job[named].name, differ > 1 ? " and others" : "");
}

void run_assume_hosts(bough_run *run) {
    const bough_workload *w = run->point.traffic->workload;
    char text[4 * MEASURE];
    if (!w) return;
    if (w->job_host)
        assume_job_hosts(run, w);
    else
        run_assume(run, "hosts", "%s", format_host(&w->host, text, sizeof text));
    if (w->schedule->nics > 1 && w->host.L == BOUGH_FROM_NETWORK)
        run_assume(run, "NICs", "%u a rank, each with its own gap g; they share the link of their endpoint",
                   w->schedule->nics);
    if (w->schedule->sends == 0 && w->schedule->ranks > 1)
        run_assume(run, "messages", "none: the schedule has computations only");
    if (*w->how.algorithm) run_assume(run, "collective", "%s", w->how.algorithm);
    if (*w->how.chunks) run_assume(run, "chunks", "%s", w->how.chunks);
    if (*w->how.limits) run_assume(run, "approximate", "%s", w->how.limits);
    run_assume_computations(run, w);
}

void run_assume_flit_cycles(bough_run *run) {
    run_assume(run, "time", "cycles; a link carries one flit in each");
    assume_unused(run);
}

void run_assume_wormhole(bough_run *run, unsigned buffer, unsigned channels) {
    run_assume(run, "sharing", "wormhole with buffers of %u flit%s, %u virtual channel%s", buffer,
               buffer > 1 ? "s" : "", channels, channels > 1 ? "s" : "");
}
