/* Collectives: every rank ends with what is promised, at any number of ranks, and sends what the algorithm is
 * known for. */
#include "support/collective_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const collective_kind *const kinds[] = {
    &collective_allreduce, &collective_allgather, &collective_reducescatter, &collective_alltoall,
    &collective_broadcast, &collective_reduce,    &collective_barrier,
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void hold(const collective_case *k, uint32_t orders) {
    const char *trouble = collective_case_run(k, orders);
    if (trouble)
        fail_msg("%s:algo=%s over %u, %llu bytes: %s", k->kind->name, k->algorithm->name, k->n,
                 (unsigned long long)k->size, trouble);
}

/* Sizes: less than a byte a rank, no multiple of the ranks, many. */
static void every_rank_ends_with_what_is_promised(void **state) {
    (void)state;
    static const uint64_t sizes[] = {0, 7, 1000};
    for (int i = 0; i < KINDS; i++)
        for (const collective_algorithm *a = kinds[i]->algorithm; a->name && !a->program; a++)
            for (uint32_t n = 1; n <= 33; n++)
                for (int s = 0; s < 3; s++) {
                    collective_case k = {kinds[i], a, n, n, NULL, 0, sizes[s], 64, 0, 1};
                    hold(&k, 3);
                    k.reduce_ps = 1000 * (s == 2);
                    if (k.reduce_ps) hold(&k, 2);
                }
}

static void any_rank_may_be_the_root(void **state) {
    (void)state;
    for (int i = 4; i < 6; i++)
        for (const collective_algorithm *a = kinds[i]->algorithm; a->name && !a->program; a++)
            for (uint32_t n = 2; n <= 9; n++)
                for (uint32_t root = 1; root < n; root++)
                    hold(&(collective_case){kinds[i], a, n, n, NULL, root, 1000, 300, 0, 1}, 2);
}

/* On nodes: even and uneven ones, and members of a group that share nodes. */
static void rails_on_nodes(void **state) {
    (void)state;
    static const uint32_t rank[] = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23};
    for (int i = 0; i < 3; i++)
        for (uint32_t gpus = 1; gpus <= 8; gpus++)
            for (uint32_t n = 1; n <= 24; n++) {
                collective_case k = {.kind = kinds[i],
                                     .algorithm = collective_find(kinds[i], "rails"),
                                     .n = n,
                                     .ranks = 24,
                                     .size = 1000,
                                     .reduce_ps = 1000,
                                     .gpu.gpus = gpus};
                assert_non_null(k.algorithm);
                hold(&k, 2);
                k.rank = rank;
                if (n <= 12) hold(&k, 2);
            }
}

/* Of 32 ranks on 4 nodes a member sends 3 messages along its rail and 7 in its node, instead of 31. */
static void rails_by_hand(void **state) {
    (void)state;
    collective_case k = {.kind = &collective_allgather,
                         .algorithm = collective_find(&collective_allgather, "rails"),
                         .n = 32,
                         .ranks = 32,
                         .size = 3200,
                         .gpu.gpus = 8};
    bough_schedule *s = collective_case_make(&k);
    assert_int_equal(s->sends, 32 * (3 + 7));
    uint64_t between = 0;
    for (uint32_t r = 0; r < 32; r++)
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) {
            const bough_op *op = &s->op[o];
            if (op->kind != BOUGH_OP_SEND) continue;
            bool inside = op->peer / 8 == r / 8;
            assert_true(inside || op->peer % 8 == r % 8);
            assert_int_equal(op->size, inside ? 400 : 100);
            between += inside ? 0 : op->size;
        }
    assert_int_equal(between, 32 * 3 * 100);
    bough_schedule_destroy(s);
}

/* Members of a group are other ranks, in an order of their own. */
static void groups_are_ranks_of_any_numbers(void **state) {
    (void)state;
    static const uint32_t rank[] = {11, 3, 8, 1, 12, 0};
    for (int i = 0; i < KINDS; i++)
        for (const collective_algorithm *a = kinds[i]->algorithm; a->name && !a->program; a++)
            for (uint32_t n = 1; n <= 6 && !a->adders; n++)
                hold(&(collective_case){kinds[i], a, n, 13, rank, 0, 100, 30, 1000, 1}, 2);
}

/* Rounds follow each other: no message of one is taken by a receive of another. */
static void rounds_do_not_mix(void **state) {
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        if (kinds[i] == &collective_allreduce || kinds[i] == &collective_reduce ||
            kinds[i] == &collective_reducescatter)
            continue; /* sums of sums: the oracle would call them double */
        for (const collective_algorithm *a = kinds[i]->algorithm; a->name && !a->program; a++)
            for (uint32_t n = 2; n <= 9; n++)
                hold(&(collective_case){kinds[i], a, n, n, NULL, 0, 100, 30, 0, 3}, 3);
    }
}

/* Messages, bytes and the longest chain of messages, where n divides the size. */
typedef struct known {
    const char *kind, *algorithm;
    uint32_t n;
    uint64_t messages, bytes;
} known;

static void costs_are_those_of_the_books(void **state) {
    (void)state;
    static const known table[] = {
        /* size 840 */
        {"allreduce", "ring", 8, 8 * 14, 8 * 14 * 105},
        {"allreduce", "ring", 7, 7 * 12, 7 * 12 * 120},
        {"allreduce", "doubling", 8, 8 * 3, 8 * 3 * 840},
        {"allreduce", "doubling", 6, 4 * 2 + 2 + 2, 12 * 840},
        {"allreduce", "rabenseifner", 8, 8 * 6, 8 * 2 * (420 + 210 + 105)},
        {"allreduce", "rabenseifner", 5, 1 + 1 + 4 * 4, 2 * 840 + 4 * 2 * (420 + 210)},
        {"allreduce", "tree", 8, 14, 14 * 840},
        {"allreduce", "direct", 7, 2 * 7 * 6, 2 * 7 * 6 * 120},
        {"allgather", "direct", 8, 8 * 7, 8 * 7 * 105},
        {"reducescatter", "direct", 7, 7 * 6, 7 * 6 * 120},
        {"allgather", "ring", 8, 8 * 7, 8 * 7 * 105},
        {"allgather", "doubling", 8, 8 * 3, 8 * 7 * 105},
        {"allgather", "bruck", 8, 8 * 3, 8 * 7 * 105},
        {"allgather", "bruck", 7, 7 * 3, 7 * 6 * 120},
        {"reducescatter", "ring", 7, 7 * 6, 7 * 6 * 120},
        {"reducescatter", "halving", 8, 8 * 3, 8 * 7 * 105},
        {"alltoall", "shift", 8, 8 * 7, 8 * 7 * 105},
        {"alltoall", "pairwise", 8, 8 * 7, 8 * 7 * 105},
        {"alltoall", "pairwise", 7, 7 * 6, 7 * 6 * 120},
        {"alltoall", "linear", 7, 7 * 6, 7 * 6 * 120},
        {"alltoall", "bruck", 8, 8 * 3, 8 * 3 * 420},
        {"broadcast", "binomial", 7, 6, 6 * 840},
        {"broadcast", "scatter", 8, 7 + 8 * 7, (420 + 2 * 210 + 4 * 105) + 8 * 7 * 105},
        {"broadcast", "chain", 4, 3 * 3, 3 * 840},
        {"reduce", "binomial", 7, 6, 6 * 840},
        {"barrier", "dissemination", 7, 7 * 3, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const known *t = &table[i];
        collective_case k = {.n = t->n, .ranks = t->n, .size = 840, .segment = 280};
        for (int j = 0; j < KINDS; j++)
            if (strcmp(kinds[j]->name, t->kind) == 0) k.kind = kinds[j];
        k.algorithm = collective_find(k.kind, t->algorithm);
        bough_schedule *s = collective_case_make(&k);
        if (s->sends != t->messages || s->recvs != t->messages || s->bytes != t->bytes)
            fail_msg("%s %s: %llu messages of %llu bytes", t->kind, t->algorithm,
                     (unsigned long long)s->sends, (unsigned long long)s->bytes);
        bough_schedule_destroy(s);
    }
}

static void bandwidths_are_nccls(void **state) {
    (void)state;
    assert_true(collective_allreduce.bus(4) == 1.5);
    assert_true(collective_allgather.bus(4) == 0.75);
    assert_true(collective_reducescatter.bus(4) == 0.75);
    assert_true(collective_alltoall.bus(4) == 0.75);
    assert_true(collective_broadcast.bus(4) == 1 && collective_reduce.bus(4) == 1);
    assert_null(collective_find(&collective_allreduce, "rings"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rank_ends_with_what_is_promised),
        cmocka_unit_test(any_rank_may_be_the_root),
        cmocka_unit_test(rails_on_nodes),
        cmocka_unit_test(rails_by_hand),
        cmocka_unit_test(groups_are_ranks_of_any_numbers),
        cmocka_unit_test(rounds_do_not_mix),
        cmocka_unit_test(costs_are_those_of_the_books),
        cmocka_unit_test(bandwidths_are_nccls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
