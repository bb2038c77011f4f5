/* Counters beside predicted loads: what is refused, single counters by hand, then the loads that a check
 * predicts, written as the output of perfquery and read back: as they are, and with a few links changed. */
#include "base/text/text.h"
#include "fabric/check/check.h"
#include "fabric/counters/counter_ports.h"
#include "support/fabrics.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EXAMPLE "ibnet:file=" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover"
#define FTREE   "lft:file=" SOURCE_DIR "/examples/fabric/cluster.ftree.lfts.gz"
#define UPDN    "lft:file=" SOURCE_DIR "/examples/fabric/cluster.updn.lfts.gz"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- one counter ---- */

static const struct rise_case {
    bough_counter counter;
    bool wide, bytes;
    uint64_t before, after;
    bough_link_count count;
    double value;
} rises[] = {
    {BOUGH_COUNTER_XMIT_DATA, true, false, 10, 15, BOUGH_LINK_COUNTED, 20},
    {BOUGH_COUNTER_XMIT_DATA, true, true, 10, 15, BOUGH_LINK_COUNTED, 5},
    {BOUGH_COUNTER_XMIT_DATA, true, false, 15, 15, BOUGH_LINK_COUNTED, 0},
    {BOUGH_COUNTER_XMIT_DATA, true, false, 15, 10, BOUGH_LINK_RESET, 40},
    {BOUGH_COUNTER_XMIT_DATA, true, false, UINT64_MAX - 4, 5, BOUGH_LINK_COUNTED, 40}, /* it wrapped */
    {BOUGH_COUNTER_XMIT_DATA, true, true, UINT64_MAX - 4, 5, BOUGH_LINK_RESET, 5},
    {BOUGH_COUNTER_XMIT_DATA, false, false, 5, UINT32_MAX, BOUGH_LINK_SATURATED, 4.0 * (UINT32_MAX - 5.0)},
    {BOUGH_COUNTER_XMIT_DATA, false, false, UINT32_MAX, UINT32_MAX, BOUGH_LINK_SATURATED, 0},
    {BOUGH_COUNTER_XMIT_DATA, true, false, 5, UINT32_MAX, BOUGH_LINK_COUNTED, 4.0 * (UINT32_MAX - 5.0)},
    {BOUGH_COUNTER_XMIT_DATA, false, false, UINT32_MAX, 5, BOUGH_LINK_RESET, 20},
    {BOUGH_COUNTER_XMIT_WAIT, true, false, 10, 15, BOUGH_LINK_COUNTED, 5}, /* no data: ticks */
    {BOUGH_COUNTER_SYMBOL_ERRORS, false, false, 1, 65535, BOUGH_LINK_SATURATED, 65534},
    {BOUGH_COUNTER_SYMBOL_ERRORS, true, false, 1, 65535, BOUGH_LINK_COUNTED, 65534},
    {BOUGH_COUNTER_LINK_DOWNED, false, false, 250, 255, BOUGH_LINK_SATURATED, 5},
    {BOUGH_COUNTER_LOCAL_INTEGRITY, false, false, 0, 15, BOUGH_LINK_SATURATED, 15},
};

static counted_port port_of(const struct rise_case *c, uint64_t value) {
    const uint32_t bit = UINT32_C(1) << c->counter;
    counted_port p = {.known = bit, .wide = c->wide ? bit : 0, .bytes = c->bytes ? bit : 0};
    p.value[c->counter] = value;
    return p;
}

static void test_rise(void **state) {
    (void)state;
    double value;
    for (size_t i = 0; i < COUNT(rises); i++) {
        const struct rise_case *c = &rises[i];
        const counted_port before = port_of(c, c->before), after = port_of(c, c->after), none = {.known = 0};
        const bough_link_count count = counter_rise(&before, &after, c->counter, &value);
        if (count != c->count || value != c->value) fail_msg("case %zu: %d, %g", i, count, value);
        assert_int_equal(counter_rise(&none, &after, c->counter, &value), BOUGH_LINK_NOT_BEFORE);
        assert_true(isnan(value));
        assert_int_equal(counter_rise(&before, &none, c->counter, &value), BOUGH_LINK_NOT_AFTER);
        assert_int_equal(counter_rise(NULL, &none, c->counter, &value), BOUGH_LINK_NOT_BEFORE);
    }
    /* words before, bytes after */
    struct rise_case words = rises[0], bytes = rises[1];
    counted_port before = port_of(&words, 10), after = port_of(&bytes, 100);
    assert_int_equal(counter_rise(&before, &after, BOUGH_COUNTER_XMIT_DATA, &value), BOUGH_LINK_COUNTED);
    assert_true(value == 60);
    after = port_of(&bytes, 39);
    assert_int_equal(counter_rise(&before, &after, BOUGH_COUNTER_XMIT_DATA, &value), BOUGH_LINK_RESET);
    /* one file: since the counter was cleared */
    assert_int_equal(counter_rise(NULL, &before, BOUGH_COUNTER_XMIT_DATA, &value), BOUGH_LINK_COUNTED);
    assert_true(value == 40);
}

/* ---- files of the loads of a check ---- */

/* A check of the example, or the error of a question. */
static bough_check_report *ask(bough_check_question q) {
    bough_check_report *report;
    bough_error error = {0};
    if (!q.network) q.network = EXAMPLE;
    q.worst = BOUGH_CHECK_WORST_NO;
    q.seed = 1;
    if (bough_check(&q, &report, &error)) fail_msg("%s: %s", error.place, error.reason);
    return report;
}

static void refuse(bough_check_question q, bough_status status, const char *place, const char *reason) {
    bough_check_report *report;
    bough_error error = {0};
    if (!q.network) q.network = EXAMPLE;
    q.worst = BOUGH_CHECK_WORST_NO;
    if (bough_check(&q, &report, &error) != status) fail_msg("taken: %s", reason);
    if (!strstr(error.place, place) || !strstr(error.reason, reason))
        fail_msg("%s: %s", error.place, error.reason);
}

static uint32_t lid_of(const bough_fabric *f, const bough_fabric_port *p) {
    return f->node[p->node].kind == BOUGH_FABRIC_SWITCH ? f->node[p->node].lid : p->lid;
}

/* Counters of the ports where links start; in words. */
typedef struct written {
    const bough_net *net;
    uint64_t *words; /* [links] */
    uint64_t *wait;  /* [links] */
    uint64_t skip;   /* a link whose ports are left out; BOUGH_NONE: none */
} written;

static written words_of(const bough_net *net, const double *load, uint64_t base, uint64_t factor) {
    written w = {net, calloc(net->links, sizeof *w.words), calloc(net->links, sizeof *w.wait), BOUGH_NONE};
    for (uint64_t l = 0; l < net->links; l++) w.words[l] = base * l + (uint64_t)load[l] * factor;
    return w;
}

static void written_free(written *w) {
    free(w->words);
    free(w->wait);
}

static const char *write_file(const written *w, const char *name) {
    bough_text text = {0};
    const bough_fabric *f = w->net->fabric;
    for (uint64_t l = 0; l < w->net->links; l++) {
        const bough_fabric_port *p = &f->port[bough_net_fabric_port(w->net, l)];
        if (l == w->skip) continue;
        bough_text_printf(&text,
                          "# Port extended counters: Lid %" PRIu32 " port %" PRIu32 " (CapMask: 0x5300)\n",
                          lid_of(f, p), p->number);
        bough_text_printf(&text, "PortSelect:......................%" PRIu32 "\n", p->number);
        bough_text_printf(&text, "PortXmitData:....................%" PRIu64 "\n", w->words[l]);
        if (w->wait[l])
            bough_text_printf(&text, "PortXmitWait:....................%" PRIu64 "\n", w->wait[l]);
    }
    assert_false(text.failed);
    const char *path = temporary_file(name, text.data, text.length);
    bough_text_fini(&text);
    return path;
}

static const char *append_file(const char *path, const char *text) {
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char *const ftree[] = {FTREE};

/* Every share of the measured traffic is that of the prediction, to the last digit. */
static void test_recovered(void **state) {
    (void)state;
    bough_check_report *plain = ask((bough_check_question){.routing = ftree, .routings = 1});
    const double *load = plain->part[0].result.load;
    written from = words_of(plain->net, load, 1000, 0), to = words_of(plain->net, load, 1000, 1023);
    const char *const files[] = {write_file(&from, "recovered.1"), write_file(&to, "recovered.2")};
    bough_check_report *r = ask((bough_check_question){
        .routing = ftree, .routings = 1, .counters = files, .counter_files = 2, .interval = "2.5"});
    const bough_counters *c = r->counters;
    const bough_counters_fit *fit = c->fit;
    assert_int_equal(c->fits, 1);
    assert_int_equal(c->links, r->net->links);
    assert_int_equal(c->count[BOUGH_LINK_COUNTED], r->net->links);
    assert_true(c->interval == 2.5 && c->interval_given);
    assert_true(fit->factor == 4 * 1023 && fit->factor_mean == 4 * 1023 && fit->elsewhere == 0);
    assert_int_equal(fit->hots + fit->idles + fit->waits + c->cables, 0);
    for (uint64_t l = 0; l < r->net->links; l++) {
        assert_true(c->bytes[l] == 4 * 1023 * load[l]);
        assert_true(c->bytes[l] / c->total == fit->load[l] / fit->total);
        assert_true(isnan(c->wait[l]));
    }
    assert_string_equal(fit->traffic, "alltoall");
    assert_int_equal(count_findings(&r->wiring, "counters-hot"), 0);
    bough_check_report_destroy(r);
    bough_check_report_destroy(plain);
    written_free(&from);
    written_free(&to);
}

static uint64_t twin_of(const bough_net *net, uint64_t link) {
    return net->ops->link_twin(net, link);
}

static bool lists(const uint64_t *list, size_t count, uint64_t link) {
    for (size_t i = 0; i < count; i++)
        if (list[i] == link) return true;
    return false;
}

/* The first links between switches that carry this much, in steps. */
static void pick_links(const bough_net *net, const double *load, uint64_t *link, size_t count) {
    size_t found = 0;
    for (uint64_t l = 0; l < net->links && found < count; l += 7) {
        if (bough_link_start(net, l) < net->endpoints || net->ops->link_end(net, l).node < net->endpoints)
            continue;
        if (load[l] >= 60) link[found++] = l;
    }
    assert_int_equal(found, count);
}

/* Three links carry more, two nothing, one waits, one has errors, one was cleared, one stands at its maximum,
 * one is not in the file: the lists are exactly these. */
static void test_perturbed(void **state) {
    (void)state;
    enum { HOT, IDLE = 3, WAIT = 5, ERRORS, CLEARED, FULL, GONE, PICKED };
    bough_check_report *plain = ask((bough_check_question){.routing = ftree, .routings = 1});
    const bough_net *net = plain->net;
    const double *load = plain->part[0].result.load;
    uint64_t l[PICKED];
    char text[400];
    pick_links(net, load, l, PICKED);
    written from = words_of(net, load, 1000, 0), to = words_of(net, load, 1000, 1000);
    for (int i = HOT; i < IDLE; i++) to.words[l[i]] += (uint64_t)(800 + 100 * i) * (uint64_t)load[l[i]];
    for (int i = IDLE; i < WAIT; i++) to.words[l[i]] = from.words[l[i]];
    to.wait[l[WAIT]] = 77;
    from.wait[l[WAIT]] = 7;
    from.words[l[CLEARED]] = to.words[l[CLEARED]] + 1;
    to.skip = l[GONE];
    const bough_fabric *f = net->fabric;
    const bough_fabric_port *p = &f->port[bough_net_fabric_port(net, l[ERRORS])];
    const char *const files[] = {write_file(&from, "perturbed.1"), write_file(&to, "perturbed.2")};
    snprintf(text, sizeof text,
             "# Port counters: Lid %" PRIu32 " port %" PRIu32 " (CapMask: 0x1200)\nSymbolErrorCounter:..4\n"
             "LinkDownedCounter:..7\n# Port counters: Lid 40000 port 1 (CapMask: 0x1200)\nPortXmitData:..4\n",
             lid_of(f, p), p->number);
    append_file(files[0], text);
    snprintf(text, sizeof text,
             "# Port counters: Lid %" PRIu32 " port %" PRIu32
             " (CapMask: 0x1200)\nSymbolErrorCounter:..65535\n"
             "LinkDownedCounter:..9\n# Port counters: Lid 40000 port 1 (CapMask: 0x1200)\nPortXmitData:..4\n"
             "PortRcvData:..4\n# Port counters: Lid 40000 port 2 (CapMask: 0x1200)\nPortXmitData:..4\n",
             lid_of(f, p), p->number);
    append_file(files[1], text);
    bough_check_report *r =
        ask((bough_check_question){.routing = ftree, .routings = 1, .counters = files, .counter_files = 2});
    const bough_counters *c = r->counters;
    const bough_counters_fit *fit = c->fit;
    assert_true(fit->factor == 4000 && fit->factor_mean != 4000 && fit->elsewhere > 0);
    assert_int_equal(fit->hots, 3);
    assert_int_equal(fit->idles, 2);
    for (int i = HOT; i < IDLE; i++) assert_true(lists(fit->hot, fit->hots, l[i]));
    for (int i = IDLE; i < WAIT; i++) assert_true(lists(fit->idle, fit->idles, l[i]));
    for (size_t i = 1; i < fit->hots; i++)
        assert_true(c->bytes[fit->hot[i - 1]] - 4000 * load[fit->hot[i - 1]] >=
                    c->bytes[fit->hot[i]] - 4000 * load[fit->hot[i]]);
    assert_int_equal(c->count[BOUGH_LINK_RESET], 1);
    assert_int_equal(c->state[l[CLEARED]], BOUGH_LINK_RESET);
    assert_int_equal(c->count[BOUGH_LINK_NOT_AFTER], 1);
    assert_int_equal(c->state[l[GONE]], BOUGH_LINK_NOT_AFTER);
    assert_true(isnan(c->bytes[l[GONE]]) && isnan(c->bytes[l[CLEARED]]));
    assert_int_equal(c->count[BOUGH_LINK_COUNTED], c->links - 2);
    assert_true(c->wait[l[WAIT]] == 70);
    assert_int_equal(c->unknown, 2);
    assert_string_equal(c->unknown_first, "LID 40000 port 1");
    assert_int_equal(c->cables, 1);
    const bough_counted_cable *cable = c->cable;
    const int end = cable->link == l[ERRORS] ? 0 : 1;
    assert_true(end == 0 || cable->link == twin_of(net, l[ERRORS]));
    assert_int_equal(cable->error[end][BOUGH_COUNTER_SYMBOL_ERRORS], 65531);
    assert_int_equal(cable->error[end][BOUGH_COUNTER_LINK_DOWNED], 2);
    assert_true(cable->at_least[end] && !cable->at_least[1 - end] && !cable->harmless);
    assert_true(fabs(cable->measured * c->total - c->bytes[l[ERRORS]] - c->bytes[twin_of(net, l[ERRORS])]) <
                1e-3);
    static const char *const kinds[] = {"counters-hot",   "counters-idle",    "counters-errors",
                                        "counters-reset", "counters-missing", "counters-unknown"};
    for (size_t i = 0; i < COUNT(kinds); i++) assert_int_equal(count_findings(&r->wiring, kinds[i]), 1);
    assert_int_equal(r->severity >= BOUGH_WARN, 1);
    bough_check_report_destroy(r);
    bough_check_report_destroy(plain);
    written_free(&from);
    written_free(&to);
}

/* Of two routings the one whose loads were measured fits; where the far end of a link is known, that is
 * taken. */
static void test_best(void **state) {
    (void)state;
    static const char *const two[] = {FTREE, UPDN}, *const jobs[] = {"shift:k=5",
                                                                     "alltoall:shift,size=950kB"};
    bough_check_report *plain = ask((bough_check_question){.routing = two, .routings = 2});
    written to = words_of(plain->net, plain->part[1].result.load, 0, 512);
    const char *const file[] = {write_file(&to, "best.1")};
    bough_check_report *r =
        ask((bough_check_question){.routing = two, .routings = 2, .counters = file, .counter_files = 1});
    assert_int_equal(r->counters->fits, 2);
    assert_int_equal(r->counters->best, 1);
    assert_true(r->counters->fit[1].elsewhere == 0 && r->counters->fit[0].elsewhere > 0.01);
    assert_true(isnan(r->counters->interval));
    bough_check_report_destroy(r);
    /* jobs: a permutation in flows, and a schedule in bytes that is all-to-all */
    r = ask((bough_check_question){.routing = &two[1],
                                   .routings = 1,
                                   .job = jobs,
                                   .jobs = 2,
                                   .job_trials = 1,
                                   .counters = file,
                                   .counter_files = 1});
    assert_int_equal(r->counters->fits, 2);
    assert_int_equal(r->counters->best, 1);
    assert_false(r->counters->fit[0].bytes);
    assert_true(r->counters->fit[1].bytes && r->counters->fit[1].elsewhere < 1e-12);
    assert_true(fabs(r->counters->fit[1].factor * 1e4 / 2048 - 1) < 1e-9);
    bough_check_report_destroy(r);
    bough_check_report_destroy(plain);
    written_free(&to);
}

/* ---- names of ports ---- */

/* Hosts 1 and 2 below S1, whose port 3 leads to S2 with hosts 3 and 4. Node i has GUID 256 (i + 1). */
static const char *const tree[] = {"S1 lid 1",       "H1 lid 2",  "H2 lid 3",  "S2 lid 4",
                                   "H3 lid 5 lmc 1", "H4 lid 7",  "S1:1 H1:1", "S1:2 H2:1",
                                   "S1:3 S2:1",      "S2:2 H3:1", "S2:3 H4:1", NULL};

static uint64_t link_between(const bough_net *net, const char *name) {
    char buffer[300];
    uint64_t l = 0;
    while (l < net->links && strcmp(bough_link_name(net, l, buffer, sizeof buffer), name) != 0) l++;
    if (l == net->links) fail_msg("no link %s", name);
    return l;
}

static bough_check_report *ask_tree(const char *text) {
    char *fabric = fabric_text(tree);
    char *network = spec_of("ibnet", temporary_file("tree", fabric, 0));
    const char *const file[] = {temporary_file("counters", text, 0)};
    bough_check_report *r =
        ask((bough_check_question){.network = network, .counters = file, .counter_files = 1});
    free(fabric);
    free(network);
    return r;
}

static void expect_bytes(const bough_check_report *r, const char *link, double bytes) {
    const double found = r->counters->bytes[link_between(r->net, link)];
    if (found != bytes && !(isnan(found) && isnan(bytes))) fail_msg("%s: %g, not %g", link, found, bytes);
}

#define EXPORTED(guid, port, value)                                                                          \
    "infiniband_switch_port_transmit_data_bytes_total{guid=\"" guid "\",port=\"" port "\"} " value "\n"

static void test_names(void **state) {
    (void)state;
    /* by LID: a switch, an adapter, its second LID, another port of it, port 0 */
    bough_check_report *r = ask_tree("# Port counters: Lid 1 port 3\nPortXmitData:...5\nPortRcvData:...6\n"
                                     "# Port counters: Lid 3 port 1\nPortXmitData:...7\nPortRcvData:...8\n"
                                     "# Port counters: Lid 6 port 1\nPortXmitData:...9\n"
                                     "# Port counters: Lid 2 port 2\nPortXmitData:...9\n"
                                     "# Port counters: Lid 1 port 0\nPortXmitData:...9\n");
    expect_bytes(r, "S1/3 -> S2/1", 20);
    expect_bytes(r, "S2/1 -> S1/3", 24); /* received at the other end */
    expect_bytes(r, "H2/1 -> S1/2", 28);
    expect_bytes(r, "S1/2 -> H2/1", 32);
    expect_bytes(r, "H3/1 -> S2/2", 36);
    expect_bytes(r, "H1/1 -> S1/1", NAN);
    assert_int_equal(r->counters->unknown, 0);
    assert_int_equal(r->counters->count[BOUGH_LINK_NOT_BEFORE], 5);
    bough_check_report_destroy(r);
    /* by GUID: of a switch, of an adapter, of its port; an unknown one. The extended counter counts */
    r = ask_tree(EXPORTED("0x100", "3", "5") EXPORTED("0x200", "1", "6") EXPORTED("0x301", "1", "7")
                     EXPORTED("0xabc", "1", "8") EXPORTED("0xabc", "2", "8"));
    expect_bytes(r, "S1/3 -> S2/1", 5);
    expect_bytes(r, "H1/1 -> S1/1", 6);
    expect_bytes(r, "H2/1 -> S1/2", 7);
    assert_int_equal(r->counters->unknown, 2);
    assert_string_equal(r->counters->unknown_first, "GUID 0x0000000000000abc port 1");
    bough_check_report_destroy(r);
    r = ask_tree("# Port extended counters: Lid 7 port 1\nPortXmitData:...5\n"
                 "# Port counters: Lid 7 port 1\nPortXmitData:...4294967295\n");
    expect_bytes(r, "H4/1 -> S2/3", 20);
    bough_check_report_destroy(r);
    /* by host; an exporter of switches comes first */
    r = ask_tree("node_infiniband_port_data_transmitted_bytes_total{device=\"mlx5_0\",instance=\"H1:9100\","
                 "port=\"1\"} 5\n"
                 "node_infiniband_port_data_transmitted_bytes_total{device=\"mlx5_0\",instance=\"H2:9100\","
                 "port=\"1\"} 6\n"
                 "node_infiniband_port_data_transmitted_bytes_total{device=\"mlx5_0\",instance=\"H9:9100\","
                 "port=\"1\"} 6\n" EXPORTED("0x200", "1", "7"));
    expect_bytes(r, "H1/1 -> S1/1", 7);
    expect_bytes(r, "H2/1 -> S1/2", 6);
    assert_string_equal(r->counters->unknown_first, "host H9 device mlx5_0 port 1");
    bough_check_report_destroy(r);
}

/* ibqueryerrors leaves out ports without errors: these counters are 0. */
static void test_errors_only(void **state) {
    (void)state;
    bough_check_report *r =
        ask_tree("Errors for 0x100 \"S1\"\n   GUID 0x100 port 3: [SymbolErrorCounter == 5]\n"
                 "   GUID 0x100 port 1: [PortRcvSwitchRelayErrors == 6]\n");
    const bough_counters *c = r->counters;
    assert_int_equal(c->count[BOUGH_LINK_COUNTED], 0);
    assert_int_equal(c->cables, 2);
    assert_true(c->fit->covered == 0 && isnan(c->fit->factor) && isnan(c->fit->elsewhere));
    assert_int_equal(c->fit->hots + c->fit->idles, 0);
    /* symbol errors are worse than harmless ones */
    assert_int_equal(c->cable[0].error[0][BOUGH_COUNTER_SYMBOL_ERRORS] +
                         c->cable[0].error[1][BOUGH_COUNTER_SYMBOL_ERRORS],
                     5);
    assert_true(c->cable[0].predicted > c->cable[1].predicted && isnan(c->cable[0].measured));
    assert_false(c->cable[0].harmless);
    assert_true(c->cable[1].harmless);
    bough_check_report_destroy(r);
    /* a host's cable that went down is worse than wrong symbols on one that more flows take */
    r = ask_tree("Errors for 0x100 \"S1\"\n   GUID 0x100 port 3: [SymbolErrorCounter == 77]\n"
                 "   GUID 0x100 port 1: [LinkDownedCounter == 1]\n");
    c = r->counters;
    assert_int_equal(
        c->cable[0].error[0][BOUGH_COUNTER_LINK_DOWNED] + c->cable[0].error[1][BOUGH_COUNTER_LINK_DOWNED], 1);
    assert_true(c->cable[0].predicted < c->cable[1].predicted);
    bough_check_report_destroy(r);
}

/* Little traffic on links without a prediction is not hot, and half of a prediction is neither idle nor hot.
 * Where few links are counted nothing is compared. */
static void test_small(void **state) {
    (void)state;
    static const char *const job[] = {"shift:k=5"};
    bough_check_question q = {.routing = ftree, .routings = 1, .job = job, .jobs = 1, .job_trials = 1};
    bough_check_report *plain = ask((bough_check_question){.routing = ftree, .routings = 1});
    written zero = words_of(plain->net, plain->part[0].result.load, 0, 0);
    const char *const before[] = {write_file(&zero, "small.0")};
    q.counters = before;
    q.counter_files = 1;
    bough_check_report *r = ask(q);
    const double *load = r->counters->fit->load;
    assert_true(isnan(r->counters->fit->factor) && r->counters->fit->covered == 1);
    written to = words_of(plain->net, load, 0, 1000);
    uint64_t used = BOUGH_NONE, unused = 0;
    for (uint64_t l = 0; l < plain->net->links; l++) {
        if (load[l] == 0) unused++;
        if (load[l] == 0) to.words[l] = 20;
        if (load[l] > 0) used = l;
    }
    assert_true(unused > 5);
    to.words[used] /= 2;
    const char *const after[] = {write_file(&to, "small.1")};
    q.counters = after;
    bough_check_report *small = ask(q);
    assert_true(small->counters->fit->factor == 4000);
    assert_int_equal(small->counters->fit->hots + small->counters->fit->idles, 0);
    bough_check_report_destroy(small);
    /* one host of four */
    bough_check_report *few = ask_tree("# Port counters: Lid 2 port 1\nPortXmitData:...5\n");
    assert_true(few->counters->fit->covered > 0 && few->counters->fit->covered < 0.2);
    assert_true(isnan(few->counters->fit->factor) && isnan(few->counters->fit->elsewhere));
    bough_check_report_destroy(few);
    bough_check_report_destroy(r);
    bough_check_report_destroy(plain);
    written_free(&zero);
    written_free(&to);
}

/* The cable between the switches takes longer than those of hosts: waiting there is expected. */
static void test_waits(void **state) {
    (void)state;
    bough_check_report *r = ask_tree("# Port counters: Lid 1 port 3\nPortXmitWait:...50\n"
                                     "# Port counters: Lid 2 port 1\nPortXmitWait:...6\n"
                                     "# Port counters: Lid 3 port 1\nPortXmitWait:...7\n"
                                     "# Port counters: Lid 7 port 1\nPortXmitWait:...0\n");
    const bough_counters_fit *fit = r->counters->fit;
    assert_int_equal(fit->waits, 2);
    assert_true(fit->wait[0] == link_between(r->net, "H2/1 -> S1/2"));
    assert_true(fit->wait[1] == link_between(r->net, "H1/1 -> S1/1"));
    assert_true(r->counters->wait[link_between(r->net, "S1/3 -> S2/1")] == 50);
    bough_check_report_destroy(r);
}

/* ---- bad questions ---- */

static void test_refused(void **state) {
    (void)state;
    const char *const twice = "# Port counters: Lid 1 port 1\nPortXmitData:...5\n"
                              "# Port counters: Lid 1 port 1\nPortXmitData:...6\n";
    const char *const good = "# Port counters: Lid 1 port 3\nPortXmitData:...5\n";
    const char *const later = "infiniband_hca_port_symbol_error_total{guid=\"0x1\",port=\"1\"} 3 2000\n";
    const char *const sooner = "infiniband_hca_port_symbol_error_total{guid=\"0x1\",port=\"1\"} 3 1000\n";
    const char *const three[] = {temporary_file("good", good, 0), "x", "y"};
    const char *const none[] = {"/nowhere/file"}, *const two[] = {temporary_file("twice", twice, 0)};
    const char *const swapped[] = {temporary_file("later", later, 0), temporary_file("sooner", sooner, 0)};
    refuse((bough_check_question){.interval = "5"}, BOUGH_INVALID, "", "--interval needs --counters");
    refuse((bough_check_question){.counters = three, .counter_files = 3}, BOUGH_INVALID, "", "3 are given");
    for (size_t i = 0; i < 4; i++) {
        static const char *const wrong[] = {"0", "-1", "x", "inf"};
        refuse((bough_check_question){.counters = three, .counter_files = 1, .interval = wrong[i]},
               BOUGH_INVALID, "", "--interval");
    }
    refuse((bough_check_question){.counters = none, .counter_files = 1}, BOUGH_INVALID, "/nowhere/file", "");
    refuse((bough_check_question){.network = "fattree:n=8", .counters = three, .counter_files = 1},
           BOUGH_UNSUPPORTED, "", "needs a fabric with GUIDs");
    refuse((bough_check_question){.counters = two, .counter_files = 1}, BOUGH_INVALID, "twice:4",
           "PortXmitData of LID 1 port 1 was given before, in line 2");
    refuse((bough_check_question){.counters = swapped, .counter_files = 2}, BOUGH_INVALID, "sooner",
           "are not later than those of the other file");
    bough_check_report_destroy(
        ask((bough_check_question){.counters = swapped, .counter_files = 2, .interval = "5"}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_rise),  cmocka_unit_test(test_recovered),
        cmocka_unit_test(test_perturbed),   cmocka_unit_test(test_best),  cmocka_unit_test(test_names),
        cmocka_unit_test(test_errors_only), cmocka_unit_test(test_small), cmocka_unit_test(test_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
