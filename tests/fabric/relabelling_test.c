/* Ratings, loads and which of two routings is better do not depend on LIDs: ten fabrics under a hundred
 * permutations of their LIDs, each with two given tables, with the routings that bough computes (of OpenSM's
 * engines too: they take addresses in the order of GUIDs), and with the tables that `tune` makes. */
#include "base/random/random.h"
#include "fabric/check/check.h"
#include "fabric/tune/tune.h"
#include "network/export/network_exports.h"
#include "network/faults/faults.h"
#include "support/fabric_texts.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TABLES = 2, RELABELLINGS = 100, TUNED = 10, LIDS = 400 };

/* A fabric and its tables, as files would have them. */
typedef struct files {
    bough_text net, table[TABLES];
} files;

static files write_files(const char *spec, const char *faults) {
    char name[160], one_root[600];
    const char *const engine[TABLES] = {"minhop", one_root};
    files f = {0};
    bough_net *whole = net_make(spec), *net = whole;
    bough_error error;
    if (faults) assert_int_equal(bough_net_with_faults(whole, faults, &net, &error), BOUGH_OK);
    assert_int_equal(export_netlist(net, &f.net, &error), BOUGH_OK);
    bough_net *read = fabric_net_from(f.net.data, NULL); /* routes around faults */
    bough_node_name(read, read->nodes - 1, name, sizeof name);
    snprintf(one_root, sizeof one_root, "updn:roots=%s", temporary_file("roots", name, 0));
    const bough_table_format *lfts = bough_table_formats;
    while (strcmp(lfts->name, "lfts") != 0) lfts++;
    for (int i = 0; i < TABLES; i++) {
        bough_routing *routing = routing_make(read, engine[i]);
        if (lfts->write(routing, &f.table[i], &error)) fail_msg("%s", error.reason);
        bough_routing_destroy(routing);
    }
    bough_net_destroy(read);
    if (net != whole) bough_net_destroy(net);
    bough_net_destroy(whole);
    return f;
}

/* Copies a text with other LIDs: numbers behind "lid " or "Lid ", and 0x0001 at the beginning of a line. */
static bough_text relabel(const char *text, const uint32_t *lid) {
    bough_text out = {0};
    while (*text) {
        char *end;
        if (strncmp(text, "0x", 2) == 0) {
            bough_text_printf(&out, "0x%04x", lid[strtoul(text, &end, 16)]);
            text = end;
        }
        const char *line = text;
        for (; *text && *text != '\n'; text++)
            if (text >= line + 4 && strncmp(text - 3, "id ", 3) == 0 &&
                tolower((unsigned char)text[-4]) == 'l' && isdigit((unsigned char)*text)) {
                bough_text_printf(&out, "%u", lid[strtoul(text, &end, 10)]);
                text = end - 1;
            } else {
                bough_text_add(&out, text, 1);
            }
        if (*text) bough_text_add(&out, text++, 1);
    }
    assert_false(out.failed);
    return out;
}

static bough_check_report *check(const char *network, const char *const *routing) {
    bough_check_report *report;
    bough_error error = {0};
    if (bough_check(&(bough_check_question){.network = network,
                                            .routing = routing,
                                            .routings = TABLES,
                                            .permutations = 5,
                                            .seed = 1,
                                            .threads = 1,
                                            .worst = BOUGH_CHECK_WORST_CHEAP},
                    &report, &error))
        fail_msg("%s: %s", error.place, error.reason);
    return report;
}

/* The fabric with other LIDs. Heap string. */
static char *network_of(const files *f, const uint32_t *lid) {
    bough_text net = relabel(f->net.data, lid);
    char *network = spec_of("ibnet", temporary_file("f.net", net.data, net.length));
    bough_text_fini(&net);
    return network;
}

static bough_check_report *check_tables(const files *f, const uint32_t *lid) {
    static const char *const name[TABLES] = {"a.lfts", "b.lfts"};
    char *network = network_of(f, lid), *routing[TABLES];
    for (int i = 0; i < TABLES; i++) {
        bough_text table = relabel(f->table[i].data, lid);
        routing[i] = spec_of("lft", temporary_file(name[i], table.data, table.length));
        bough_text_fini(&table);
    }
    bough_check_report *report = check(network, (const char *const *)routing);
    for (int i = 0; i < TABLES; i++) free(routing[i]);
    free(network);
    return report;
}

static void same_part(const bough_routing_report *x, const bough_routing_report *y) {
    assert_int_equal(x->result.routed, x->result.pairs);
    assert_int_equal(y->rating.word, x->rating.word);
    assert_near(y->rating.of_tables, x->rating.of_tables, 1e-12);
    assert_near(y->result.shift_mean, x->result.shift_mean, 1e-12);
    assert_near(y->result.random.mean, x->result.random.mean, 1e-12);
    assert_near(y->worst.load, x->worst.load, 0);
}

static void same(const bough_check_report *a, const bough_check_report *b) {
    for (int i = 0; i < TABLES; i++) same_part(&a->part[i], &b->part[i]);
    for (int m = 0; m < BOUGH_MEASURES; m++) {
        assert_int_equal(b->better[m].best, a->better[m].best);
        assert_int_equal(b->better[m].decided, a->better[m].decided);
    }
}

static const char *const fabrics[][2] = {{"xgft:down=4x4,up=1x4", NULL},
                                         {"xgft:down=4x4,up=1x2", NULL},
                                         {"xgft:down=6x8,up=1x6", "cables:count=1,key=1"},
                                         {"xgft:down=3x9,up=1x3", "cables:count=3,key=2"},
                                         {"xgft:down=5x6,up=1x2,links=1x2", NULL},
                                         {"xgft:down=5x6,up=1x2,links=1x2", "cables:count=2,key=3"},
                                         {"xgft:down=3x3x3,up=1x3x3", NULL},
                                         {"xgft:down=2x3x4,up=1x2x3", "cables:count=4,key=4"},
                                         {"fattree:n=32", NULL},
                                         {"kary:k=6,levels=2,hosts=27", NULL}};
enum { FABRICS = sizeof fabrics / sizeof *fabrics };

static void shuffle(bough_stream *random, uint32_t lid[LIDS]) {
    for (uint32_t i = LIDS - 1; i > 1; i--) {
        const uint32_t j = 1 + (uint32_t)bough_stream_below(random, i), kept = lid[i];
        lid[i] = lid[j];
        lid[j] = kept;
    }
}

/* visit: is told the LIDs, first those of the file. */
static void each_relabelling(int count, void (*visit)(const files *f, const uint32_t *lid, void *context),
                             void *context, size_t size) {
    bough_stream random = bough_stream_make(bough_key_make(7, 0), BOUGH_DRAW_TEST, 0, 0);
    for (size_t n = 0; n < FABRICS; n++) {
        files f = write_files(fabrics[n][0], fabrics[n][1]);
        uint32_t lid[LIDS];
        for (uint32_t i = 0; i < LIDS; i++) lid[i] = i;
        for (int k = 0; k <= count; k++, shuffle(&random, lid)) visit(&f, lid, (char *)context + n * size);
        bough_text_fini(&f.net);
        for (int i = 0; i < TABLES; i++) bough_text_fini(&f.table[i]);
    }
}

static void compare_tables(const files *f, const uint32_t *lid, void *context) {
    bough_check_report **first = context, *report = check_tables(f, lid);
    if (!*first) {
        *first = report;
        return;
    }
    same(*first, report);
    bough_check_report_destroy(report);
}

static void lids_rate_nothing(void **state) {
    (void)state;
    bough_check_report *first[FABRICS] = {0};
    unsigned unequal = 0;
    each_relabelling(RELABELLINGS, compare_tables, first, sizeof *first);
    for (size_t n = 0; n < FABRICS; n++) {
        for (int m = 0; m < BOUGH_MEASURES; m++) unequal += first[n]->better[m].decided;
        bough_check_report_destroy(first[n]);
    }
    assert_true(unequal >= 5); /* the engines differ */
}

static const char *const computed[][TABLES] = {{"random", "minhop"}, {"updn", "hash"}};
enum { COMPUTED = sizeof computed / sizeof *computed };

static void compare_computed(const files *f, const uint32_t *lid, void *context) {
    char *network = network_of(f, lid);
    bough_check_report **first = context;
    for (size_t i = 0; i < COMPUTED; i++) {
        bough_check_report *report = check(network, computed[i]);
        if (!first[i]) {
            first[i] = report;
            continue;
        }
        same(first[i], report);
        bough_check_report_destroy(report);
    }
    free(network);
}

static void lids_choose_nothing(void **state) {
    (void)state;
    bough_check_report *first[FABRICS][COMPUTED] = {0};
    each_relabelling(RELABELLINGS, compare_computed, first, sizeof *first);
    for (size_t i = 0; i < FABRICS * COMPUTED; i++)
        bough_check_report_destroy(first[i / COMPUTED][i % COMPUTED]);
}

typedef struct tuned {
    double value, bound;
} tuned;

static void compare_tuned(const files *f, const uint32_t *lid, void *context) {
    tuned *first = context;
    bough_text text = relabel(f->net.data, lid);
    bough_net *net = fabric_net_from(text.data, NULL);
    const bough_tune_question question = {.net = net, .objective = BOUGH_TUNE_ALLTOALL, .seed = 1};
    bough_tune_report *report;
    bough_error error;
    if (bough_tune(&question, &report, &error)) fail_msg("%s", error.reason);
    if (first->bound == 0) *first = (tuned){report->score.value, report->bound.value};
    assert_near(report->bound.value, first->bound, 1e-9);
    assert_near(report->score.value, first->value, 1e-9);
    bough_tune_report_destroy(report);
    bough_net_destroy(net);
    bough_text_fini(&text);
}

static void lids_tune_nothing(void **state) {
    (void)state;
    tuned first[FABRICS] = {0};
    each_relabelling(TUNED, compare_tuned, first, sizeof *first);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lids_rate_nothing),
                                       cmocka_unit_test(lids_choose_nothing),
                                       cmocka_unit_test(lids_tune_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
