/* What a message costs under LogGOPS, of generated schedules; and what reading one as GOAL text costs.
 *
 *     bench_loggops [dissemination|alltoall|ring|text|FILE.goal[.gz]]... [RANKS [MESSAGES]]
 *
 * Default: all that are generated, of 2^21 messages. dissemination: in round k rank r sends to r + 2^k and
 * waits for r - 2^k, over and over until there are so many. alltoall: everybody sends to everybody, nothing
 * waits. ring: a step waits for the one before, as in a ring allreduce. CPU time of a run, the schedule and
 * its matching stand; making: schedule, waits and matching. */
#include "base/memory/memory.h"
#include "bench.h"
#include "traffic/schedules/goal/goal.h"
#include "traffic/schedules/ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEST_OF = 5 };
static uint64_t messages = UINT64_C(1) << 21;

static bough_error error;

static uint32_t add(bough_schedule_builder *b, uint32_t rank, bough_op_kind kind, uint32_t peer,
                    uint32_t tag) {
    uint32_t id;
    must(bough_schedule_add(b, rank, (bough_op){.kind = (uint8_t)kind, .peer = peer, .tag = tag, .size = 8},
                            &id, &error),
         &error);
    return id;
}

static void make_dissemination(bough_schedule_builder *b, uint32_t n) {
    unsigned lg = 0;
    while (n >> (lg + 1)) lg++;
    uint32_t times = (uint32_t)(messages / ((uint64_t)n * lg)) + 1;
    for (uint32_t r = 0; r < n; r++) {
        uint32_t had = UINT32_MAX;
        for (uint32_t t = 0; t < times; t++)
            for (unsigned k = 0; k < lg; k++) {
                uint32_t send = add(b, r, BOUGH_OP_SEND, (r + (1u << k)) % n, t);
                uint32_t recv = add(b, r, BOUGH_OP_RECV, (r + n - (1u << k)) % n, t);
                if (had != UINT32_MAX) must(bough_schedule_wait(b, send, had, false, &error), &error);
                had = recv;
            }
    }
}

static void make_alltoall(bough_schedule_builder *b, uint32_t n) {
    uint32_t times = (uint32_t)(messages / ((uint64_t)n * (n - 1))) + 1;
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t t = 0; t < times; t++)
            for (uint32_t k = 1; k < n; k++) {
                add(b, r, BOUGH_OP_SEND, (r + k) % n, t);
                add(b, r, BOUGH_OP_RECV, (r + n - k) % n, t);
            }
}

static void make_ring(bough_schedule_builder *b, uint32_t n) {
    uint32_t steps = (uint32_t)(messages / n) + 1;
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t k = 0, had = 0; k < steps; k++) {
            uint32_t send = add(b, r, BOUGH_OP_SEND, (r + 1) % n, 0),
                     recv = add(b, r, BOUGH_OP_RECV, (r + n - 1) % n, 0);
            if (k) must(bough_schedule_wait(b, send, had, false, &error), &error);
            if (k) must(bough_schedule_wait(b, recv, had, false, &error), &error);
            had = recv;
        }
}

static const struct {
    const char *name;
    void (*make)(bough_schedule_builder *builder, uint32_t ranks);
} kind[] = {{"dissemination", make_dissemination}, {"alltoall", make_alltoall}, {"ring", make_ring}};

/* start: CPU seconds when the making of s began. */
static void measure(const char *name, bough_schedule *s, double start) {
    match_plan match;
    rank_engine *ranks;
    double best = 1e9;
    uint32_t n = s->ranks;
    must(match_make(s, 1, &match, &error), &error);
    double making = cpu_seconds() - start;
    uint32_t *endpoint = malloc(n * sizeof *endpoint);
    if (!endpoint) abort();
    for (uint32_t r = 0; r < n; r++) endpoint[r] = r;
    bough_workload w = {
        .schedule = s, .endpoint = endpoint, .host = {2500000, 1500000, 1000000, 6000, 0, 65535}};
    must(ranks_make(&w, &match, false, &ranks, &error), &error);
    for (int i = 0; i < BEST_OF; i++) {
        start = cpu_seconds();
        ranks_start(ranks);
        ranks_run(ranks, BOUGH_NONE - 1);
        double took = cpu_seconds() - start;
        if (took < best) best = took;
    }
    bough_source_report report;
    ranks_report(ranks, &report);
    if (report.left) abort();
    printf("%-14s %7" PRIu32 " %9" PRIu64 " %9.3f %9.3f %9.2f %9.0f %9.6f\n", name, n, s->sends, making, best,
           (double)s->sends / best / 1e6, peak_bytes() / 1048576, (double)report.end / 1e12);
    ranks_destroy(ranks);
    match_fini(&match);
    bough_schedule_destroy(s);
    free(endpoint);
}

static void measure_kind(size_t which, uint32_t n) {
    bough_schedule_builder *b;
    bough_schedule *s;
    double start = cpu_seconds();
    must(bough_schedule_begin(kind[which].name, n, &b, &error), &error);
    kind[which].make(b, n);
    must(bough_schedule_finish(b, &s, &error), &error);
    measure(kind[which].name, s, start);
}

static void measure_file(const char *path) {
    bough_schedule *s;
    double start = cpu_seconds();
    must(bough_schedule_read_goal(path, NULL, &s, &error), &error);
    const char *slash = strrchr(path, '/');
    measure(slash ? slash + 1 : path, s, start);
}

/* A dissemination over 256 ranks, as text. */
static void measure_text(void) {
    enum { N = 256, LG = 8, TIMES = 128 };
    size_t size = (size_t)N * LG * TIMES * 100 + 65536, length = 0;
    char *text = malloc(size);
    if (!text) abort();
    length += (size_t)snprintf(text, size, "num_ranks %d\n", N);
    for (int r = 0; r < N; r++) {
        length += (size_t)snprintf(text + length, size - length, "rank %d {\n", r);
        for (int i = 0; i < LG * TIMES; i++) {
            int hop = 1 << i % LG;
            length += (size_t)snprintf(text + length, size - length,
                                       "l%d: send 8b to %d tag %d\nl%d: recv 8b from %d tag %d\n", 2 * i,
                                       (r + hop) % N, i / LG, 2 * i + 1, (r + N - hop) % N, i / LG);
            if (i)
                length +=
                    (size_t)snprintf(text + length, size - length, "l%d requires l%d\n", 2 * i, 2 * i - 1);
        }
        length += (size_t)snprintf(text + length, size - length, "}\n");
    }
    char name[] = "text";
    bough_input_piece piece = {name, text, length};
    bough_input input = {.piece = &piece, .count = 1};
    bough_schedule *s;
    double best = 1e9;
    for (int i = 0; i < BEST_OF; i++) {
        double start = cpu_seconds();
        must(goal_read(&input, "text", &s, &error), &error);
        double took = cpu_seconds() - start;
        if (took < best) best = took;
        if (i + 1 < BEST_OF) bough_schedule_destroy(s);
    }
    printf("text: %.1f MB, %" PRIu32 " operations in %.3f s: %.0f MB/s\n", (double)length / 1e6, s->ops, best,
           (double)length / best / 1e6);
    bough_schedule_destroy(s);
    free(text);
}

int main(int argc, char **argv) {
    uint32_t only = 0;
    bool named = false;
    for (int i = 1; i < argc; i++) {
        unsigned long number = strtoul(argv[i], NULL, 10);
        if (number && only) messages = number;
        if (number && !only) only = (uint32_t)number;
    }
    puts("schedule         ranks  messages  making s     run s      M/s  peak MiB  finish s");
    for (int i = 1; i <= argc; i++) {
        if (i < argc && strtoul(argv[i], NULL, 10)) continue;
        if (i == argc && named) break;
        for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
            if (i < argc && strcmp(argv[i], kind[k].name) != 0) continue;
            for (uint32_t n = only ? only : 64; n <= (only ? only : 4096); n *= 8)
                if (k != 1 || n <= 1024) measure_kind(k, n);
        }
        if (i == argc || strcmp(argv[i], "text") == 0) measure_text();
        if (i < argc && strstr(argv[i], ".goal")) measure_file(argv[i]);
        named = i < argc;
    }
    return 0;
}
