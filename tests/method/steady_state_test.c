/* Whether a backlog grows, and when that is clear, on a server of a given rate in the place of an engine. */
#include "method/steady_state.h"

#include "base/random/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROOM = 1 << 16, MESSAGES = 1 << 17, FILLS = 4000 };

typedef struct server {
    sim_engine base;
    double rate, served; /* messages per cycle: offered, delivered at most */
    double noise;        /* of the backlog, in messages */
    double fills;        /* a backlog of so many messages, half of it in the first FILLS cycles */
    sim_delivery delivery[ROOM];
} server;

static uint64_t noise_at(const server *s, uint64_t cycle) {
    return (uint64_t)(s->noise * (double)(bough_word(bough_key_make(1, 0), BOUGH_DRAW_TEST, cycle, 0) >> 11) *
                      0x1p-53);
}

static bough_status advance(sim_engine *engine, sim_advance *part, bough_error *error) {
    server *s = (server *)engine;
    (void)error;
    part->deliveries = s->delivery;
    part->count = 0;
    while (engine->now < part->until && part->count < part->want && part->count < ROOM) {
        const double now = (double)++engine->now;
        const uint64_t arrived = (uint64_t)(now * fmin(s->rate, s->served));
        engine->offered =
            (uint64_t)(now * s->rate + s->fills * now / (now + FILLS)) + noise_at(s, engine->now);
        const uint64_t waits = s->fills ? (uint64_t)((double)(engine->offered - arrived) / s->rate) : 0;
        for (; engine->arrived < arrived; engine->arrived++)
            s->delivery[part->count++] =
                (sim_delivery){engine->now - 10 - waits, engine->now - 9, engine->now, 0, 0, 1, 2};
    }
    return BOUGH_OK;
}

static void reset(sim_engine *engine) {
    (void)engine;
}

static void tally(const sim_engine *engine, sim_tally *t) {
    (void)engine;
    *t = (sim_tally){.cycles = 1};
}

static const sim_engine_ops ops = {.advance = advance, .reset = reset, .tally = tally};

/* early: as early as it is clear. fills: the warm-up is not given. */
static measurement measured(double served, double noise, double fills, bool early) {
    server *s = calloc(1, sizeof *s);
    const double rate = .5;
    engine_workspace space = {.engine = &s->base};
    bough_run run = {0};
    const measurement_plan plan = {.rate = rate,
                                   .messages = MESSAGES,
                                   .warmup = fills ? 0 : 1000,
                                   .patience = 16 * MESSAGES,
                                   .alone = 10,
                                   .growth = .002,
                                   .backlog = UINT64_MAX,
                                   .limit = UINT64_MAX,
                                   .early = early};
    measurement found;
    bough_error error;
    s->base.ops = &ops;
    s->rate = rate, s->served = served, s->noise = noise, s->fills = fills;
    if (measure_engine(&space, &run, &plan, &found, &error)) fail_msg("%s", error.reason);
    free(space.series.latency);
    free(s);
    return found;
}

/* Growth in thousandths of the rate; 2 mean saturation. */
static void clear_cases_end_early(void **state) {
    (void)state;
    static const struct {
        double growth, noise;
        bool saturated, early;
    } cases[] = {{0, 0, false, true},  {0, 30, false, true},   {10, 30, true, true},
                 {50, 30, true, true}, {1.5, 3, false, false}, {2.5, 3, true, false},
                 {5, 3, true, false},  {100, 0, true, true},   {0, 3000, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double served = .5 * (1 - cases[i].growth / 1000);
        const measurement whole = measured(served, cases[i].noise, 0, false),
                          part = measured(served, cases[i].noise, 0, true);
        if (whole.messages != MESSAGES || whole.saturated != cases[i].saturated ||
            part.saturated != cases[i].saturated || (part.messages < MESSAGES) != cases[i].early)
            fail_msg("case %zu: %d after %d, %d after %d", i, whole.saturated, (int)whole.messages,
                     part.saturated, (int)part.messages);
    }
}

/* Queues that fill up slowly are no saturation; those that also grow without end are, and the warm-up finds
 * it. */
static void filling_is_not_saturation(void **state) {
    (void)state;
    for (double fills = 30; fills <= 30000; fills *= 10) {
        const measurement steady = measured(.5, 3, fills, false), grows = measured(.4, 3, fills, false);
        if (steady.saturated || steady.messages != MESSAGES)
            fail_msg("%g messages: saturated %d after %d", fills, steady.saturated, (int)steady.messages);
        if (!grows.saturated || fabs(grows.growth - .1) > .03)
            fail_msg("%g messages and more: saturated %d, growth %g", fills, grows.saturated, grows.growth);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(clear_cases_end_early),
                                       cmocka_unit_test(filling_is_not_saturation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
