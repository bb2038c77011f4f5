/* The bit steps of sidetrack, counted: the parts of the machine by themselves; every message after every pass
 * where the engine has it; every operation as long as its formula says. As a test N = 16 to 256;
 *
 *     bit_machine_test LG_N...
 *
 * other sizes (scripts/bit-steps). */
#include "network/families/pruned_shape.h"
#include "papers/bay1991/bitserial/bit_follow.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static unsigned sizes[16] = {4, 6, 8}, size_count = 3;

static unsigned bits_of(uint64_t n) {
    return 64 - (unsigned)__builtin_clzll(n);
}

static bit_machine *machine_make(unsigned lg, uint64_t messages) {
    bit_machine *m;
    bough_error error;
    if (bit_machine_create(lg, messages, &m, &error)) fail_msg("%s", error.reason);
    return m;
}

static sidetrack_machine shape_of(unsigned lg, uint64_t messages, sidetrack_top top) {
    unsigned body = bit_machine_body_min(messages);
    return (sidetrack_machine){lg, body > lg ? body : lg, bits_of(messages), top};
}

/* ---- queues ---- */

/* A queue as a list, in order. */
typedef struct list {
    uint64_t record[64];
    unsigned count;
} list;

enum { LEVEL_BITS = 2, RECORD_BITS = 9 };

static void list_insert(list *l, uint64_t record) {
    unsigned at = l->count++;
    for (; at > 0 && l->record[at - 1] >> (RECORD_BITS - LEVEL_BITS) > record >> (RECORD_BITS - LEVEL_BITS);
         at--)
        l->record[at] = l->record[at - 1];
    l->record[at] = record;
}

static uint64_t queue_deletemin(bit_queues *q, unsigned *silent) {
    uint64_t record = 0;
    for (unsigned step = 0; step < RECORD_BITS; step++) {
        unsigned bit = bit_queue_deletemin(q, 0, step);
        *silent += bit == BIT_SILENT;
        record = record << 1 | (bit == 1);
        bit_queues_tick(q);
    }
    return record;
}

static void queue_insert(bit_queues *q, uint64_t record) {
    for (unsigned step = 0; step < RECORD_BITS; step++) {
        bit_queue_insert(q, 0, record >> (RECORD_BITS - 1 - step) & 1);
        bit_queues_tick(q);
    }
}

/* Operations without a pause, in all orders, on few levels: of one level the first is first. */
static void queues_keep_order(void **state) {
    (void)state;
    bit_queues q;
    bough_error error;
    assert_int_equal(bit_queues_init(&q, 1, 64, &error), BOUGH_OK);
    bough_stream s = bough_stream_make(bough_key_make(7, 0), BOUGH_DRAW_TEST, 0, 0);
    for (unsigned trial = 0; trial < 200; trial++) {
        list l = {0};
        bit_queues_reset(&q, LEVEL_BITS, RECORD_BITS);
        for (unsigned i = 0; i < trial % 7; i++) {
            uint64_t record = bough_stream_below(&s, 1u << RECORD_BITS);
            bit_queue_load(&q, 0, record);
            list_insert(&l, record);
        }
        for (unsigned i = 0; i < 100; i++) {
            unsigned silent = 0;
            if (l.count < 40 && bough_stream_below(&s, trial % 2 ? 2 : 3) == 0) {
                uint64_t record = bough_stream_below(&s, 1u << RECORD_BITS);
                queue_insert(&q, record);
                list_insert(&l, record);
                continue;
            }
            uint64_t record = queue_deletemin(&q, &silent);
            assert_int_equal(silent, l.count ? 0 : RECORD_BITS);
            if (!l.count) continue;
            assert_int_equal(record, l.record[0]);
            memmove(l.record, l.record + 1, --l.count * sizeof *l.record);
        }
        assert_false(q.full);
    }
    bit_queues_fini(&q);
}

/* ---- modulo ---- */

/* -x mod lambda for all numbers of up to 8 bits. */
static void remainders_are_right(void **state) {
    (void)state;
    bit_machine *m = machine_make(2, 4);
    m->width = 8;
    for (uint64_t x = 0; x < 256; x++)
        for (uint64_t lambda = 1; lambda < 256; lambda += 4) {
            for (uint64_t leaf = 0; leaf < 4; leaf++) {
                uint64_t here = lambda + leaf < 256 ? lambda + leaf : 1;
                unsigned zeros = 8 - bits_of(here);
                m->leaf[leaf] =
                    (bit_leaf){.x = x, .lambda = here, .divisor = here << zeros, .zeros = (uint8_t)zeros};
            }
            assert_int_equal(bit_modulo(m), 17);
            for (uint64_t leaf = 0; leaf < 4; leaf++) {
                uint64_t here = m->leaf[leaf].lambda;
                if (m->leaf[leaf].wait != (here - x % here) % here)
                    fail_msg("-%" PRIu64 " mod %" PRIu64 ": %" PRIu64, x, here, m->leaf[leaf].wait);
            }
        }
    bit_machine_destroy(m);
}

/* ---- a lost bit is an error ---- */

static void lost_bits_end_a_run(void **state) {
    (void)state;
    uint32_t source[] = {0}, address[] = {3};
    const bough_batch batch = {source, address, 1};
    const sidetrack_machine shape = shape_of(2, 1, SIDETRACK_PEAK);
    bit_machine *m = machine_make(2, 1);
    bool more;
    bough_error error;
    bit_machine_begin(m, &shape, &batch);
    m->counter[0] = 0; /* a message of which the counter does not know stays */
    m->counter[2] = 1; /* and one that is not there is missing */
    assert_int_equal(bit_machine_pass(m, &more, &error), BOUGH_FAILED);
    if (!strstr(error.reason, "operation 8 ")) fail_msg("%s", error.reason);
    bit_machine_destroy(m);
}

/* ---- positions ---- */

static void follow(bit_machine *m, sidetrack_engine *engine, const bough_batch *batch, sidetrack_top top) {
    const sidetrack_machine shape = shape_of(m->lg, batch->count, top);
    bit_follow f = {.machine = m};
    sidetrack_options options = {.top = top};
    sidetrack_result result;
    bough_error error;
    options.watch = bit_follow_begin(&f, &shape, batch, NULL);
    if (sidetrack_run(engine, batch, &options, &result, &error) || bit_follow_end(&f, &error))
        fail_msg("%s", error.reason);
}

static void patterns_equal_the_engine(void **state) {
    (void)state;
    static const char *const traffic[] = {"bitrev",   "transpose", "shuffle",      "hotspot:share=1",
                                          "randperm", "incast",    "hrelation:h=3"};
    for (unsigned lg = 2; lg <= 8; lg += 2)
        for (size_t i = 0; i < COUNT(traffic) - 2 * (lg == 8); i++)
            for (unsigned top = 0; top < 2; top++) {
                char network[32], method[80];
                snprintf(network, sizeof network, "pruned:n=2^%u", lg);
                snprintf(method, sizeof method, "sidetrack:engine=bits,verify=1,compress=%s,body=%u",
                         top ? "root" : "peak", lg + 2);
                bough_point point = point_make(network, NULL, traffic[i]);
                bough_rows rows = rows_of(&point, method); /* fails at the first difference */
                double most = row_value(&rows, BOUGH_METRIC_BIT_STEPS, BOUGH_NO_ROW_INDEX);
                double counted = row_value(&rows, BOUGH_METRIC_BIT_STEPS_COUNTED, BOUGH_NO_ROW_INDEX);
                assert_true(counted <= most && counted > 0.5 * most);
                bough_rows_fini(&rows);
                point_free(&point);
            }
}

static void drawn_sets_equal_the_engine(void **state) {
    (void)state;
    bough_stream s = bough_stream_make(bough_key_make(3, 0), BOUGH_DRAW_TEST, 0, 0);
    for (unsigned lg = 2; lg <= 6; lg += 2) {
        uint32_t n = 1u << lg, source[256], address[256];
        bit_machine *m = machine_make(lg, 256);
        sidetrack_engine *engine;
        bough_error error;
        assert_int_equal(sidetrack_create(lg, 256, &engine, &error), BOUGH_OK);
        for (unsigned trial = 0; trial < (lg == 6 ? 12u : 60u); trial++) {
            bough_batch batch = {source, address, 1 + bough_stream_below(&s, trial % 2 ? n : 4 * n)};
            uint32_t hot = (uint32_t)bough_stream_below(&s, n), spread = 1u << bough_stream_below(&s, lg + 1);
            if (batch.count > 256) batch.count = 256;
            for (uint64_t i = 0; i < batch.count; i++) {
                source[i] = (uint32_t)bough_stream_below(&s, trial % 3 == 1 ? spread : n);
                address[i] = hot ^ (uint32_t)bough_stream_below(&s, trial % 3 == 0 ? spread : n);
            }
            follow(m, engine, &batch, trial / 6 % 2 ? SIDETRACK_ROOT : SIDETRACK_PEAK);
        }
        sidetrack_destroy(engine);
        bit_machine_destroy(m);
    }
}

/* ---- steps ---- */

/* One full batch in every stage, V messages of the leftmost T: two from a leaf, spread so that they fit into
 * one batch; to two leaves of T', in turn, so that words of each half go to each half of the columns, and are
 * sidetracked as early as can be. Sidetracked messages do not come back to a leftmost subtree. */
static uint64_t fill_stages(unsigned lg, sidetrack_top top, uint32_t *source, uint32_t *address) {
    uint64_t count = 0;
    for (unsigned q = 0; q < lg; q++) {
        uint32_t words = 1u << pruned_lg_vertices(top == SIDETRACK_PEAK ? q + 1 : q);
        uint32_t leaves = words > 1 ? words / 2 : 1;
        for (uint32_t i = 0; i < words; i++, count++) {
            source[count] = i * leaves / words * ((1u << q) / leaves);
            address[count] = (1u << q) + (q ? i % 2 : 0);
        }
    }
    return count;
}

/* What no messages need. At q = 0 the two words of the peak have one destination and keep their places, and
 * the root has one word. Nothing is sidetracked without a vertex with two parents below the top node. */
static bool never_reached(const bit_machine *m, sidetrack_operation o) {
    unsigned q = m->peak - 1, d = bit_lg_top(m);
    if (o == SIDETRACK_OP_SORT) return q == 0 && d == 1;
    if (o == SIDETRACK_OP_DELETEMIN) return d == 0;
    return o == SIDETRACK_OP_INSERT && d < 3;
}

static void compare_stage(const bit_machine *m, const uint64_t longest[SIDETRACK_OPERATIONS]) {
    for (int o = 0; o < SIDETRACK_OPERATIONS; o++) {
        bool less = never_reached(m, (sidetrack_operation)o);
        if (less ? longest[o] >= m->steps[o] : longest[o] != m->steps[o])
            fail_msg("n = 2^%u, stage %u, operation %d: %" PRIu64 " steps, formula %" PRIu64, m->lg,
                     m->lg - m->peak, o + 1, longest[o], m->steps[o]);
    }
}

static void formulas_are_reached(unsigned lg, sidetrack_top top) {
    uint64_t room = (uint64_t)lg << (lg / 2 + 1);
    uint32_t *source = calloc(room, sizeof *source), *address = calloc(room, sizeof *address);
    assert_non_null(source);
    assert_non_null(address);
    bough_batch batch = {source, address, fill_stages(lg, top, source, address)};
    assert_true(batch.count <= room);
    bit_machine *m = machine_make(lg, batch.count);
    const sidetrack_machine shape = shape_of(lg, batch.count, top);
    bough_error error;
    bool more = true;
    unsigned stages = 0;
    bit_machine_begin(m, &shape, &batch);
    while (more) {
        if (bit_machine_pass(m, &more, &error)) fail_msg("%s", error.reason);
        if (!more || m->pass < m->passes) continue;
        compare_stage(m, m->longest);
        stages++;
    }
    assert_int_equal(stages, lg);
    for (uint64_t i = 0; i < batch.count; i++) assert_int_equal(m->at[i], address[i]);
    bit_machine_destroy(m);
    free(source);
    free(address);
}

static void counts_equal_the_formulas(void **state) {
    (void)state;
    for (unsigned i = 0; i < size_count; i++)
        for (unsigned top = 0; top < 2; top++)
            formulas_are_reached(sizes[i], top ? SIDETRACK_ROOT : SIDETRACK_PEAK);
}

static int read_sizes(int argc, char **argv) {
    for (size_count = 0; (int)size_count + 1 < argc && size_count < COUNT(sizes); size_count++) {
        char *end;
        unsigned long lg = strtoul(argv[size_count + 1], &end, 10);
        if (*end || lg < 2 || lg > 16 || lg % 2) return 2;
        sizes[size_count] = (unsigned)lg;
    }
    const struct CMUnitTest test[] = {cmocka_unit_test(counts_equal_the_formulas)};
    return cmocka_run_group_tests(test, NULL, NULL);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_bits_end_a_run),         cmocka_unit_test(queues_keep_order),
        cmocka_unit_test(remainders_are_right),        cmocka_unit_test(patterns_equal_the_engine),
        cmocka_unit_test(drawn_sets_equal_the_engine), cmocka_unit_test(counts_equal_the_formulas),
    };
    return argc > 1 ? read_sizes(argc, argv) : cmocka_run_group_tests(tests, NULL, NULL);
}
