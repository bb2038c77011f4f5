/* A run of `flow` on a team has the results of a run without one, bit for bit, in every loop that a team
 * divides: paths, flows that come and share no link, and those that leave. One message is enough to divide.
 * Also two runs beside each other, on two engines of which one may be made beside the other, and of which one
 * may give its paths to the other. */
#include "engines/flow/flow_events.h"

#include "support/listed.h"
#include "support/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct {
    const char *net, *routing;
    bool spray;
    uint64_t rate; /* of all links; 0: the default */
} places[] = {
    {"kary:k=4,levels=4", "dmodk"},
    {"kary:k=4,levels=3", "dmodk", .rate = UINT64_C(8000000000000)}, /* coarser units */
    {"xgft:down=8x8x4,up=1x2x4", "random"},
    {"kary:k=3,levels=5", "valiant"},
    {"xgft:down=16x16,up=1x4", "least"}, /* paths depend on loads, so they are not divided */
    {"xgft:down=8x8,up=1x4", "random", true},
};

/* How the messages of a case are made. */
typedef enum kind { EXCHANGE, SHIFT, CROWD, KINDS } kind;

/* EXCHANGE, SHIFT: rounds of a permutation of equal messages at once, of which many or some share no link;
 * CROWD: random pairs, sizes and times, with empty messages and messages to oneself. */
static listed draw_messages(const bough_net *net, kind k) {
    const uint32_t n = (uint32_t)net->endpoints, rounds = 3;
    bough_stream draw = bough_stream_make(bough_key_make(k, 0), BOUGH_DRAW_TEST, 0, 0);
    listed l = listed_make(n * rounds);
    for (uint32_t i = 0; i < l.count; i++) {
        bough_message *m = &l.message[i];
        uint32_t from = i % n, round = i / n, to = (from + 1 + 5 * round) % n;
        if (k == EXCHANGE) to = (from ^ 1u << round) < n ? from ^ 1u << round : from;
        if (k == CROWD)
            from = (uint32_t)bough_stream_below(&draw, n), to = (uint32_t)bough_stream_below(&draw, n);
        m->time = round * UINT64_C(200000000);
        m->size = k == CROWD ? bough_stream_below(&draw, 2000) : 1000;
        m->source = from;
        m->address = (uint32_t)bough_endpoint_address(net, to);
    }
    return l;
}

/* One run, or two at a time: whole and between ends only. */
typedef struct trial {
    const bough_net *net;
    flow_engine *engine[2];
    listed list[2];
    bough_key key;
    bool beside;
    flow_engine *made_beside; /* engine[0] */
    flow_path_ring *ring;     /* of two runs at a time; NULL: none */
} trial;

static flow_engine *engine_of(const trial *t, unsigned which) {
    return which && t->beside ? t->made_beside : t->engine[which];
}

static void run_one(trial *t, unsigned which, thread_team *team) {
    bough_error error;
    listed_again(&t->list[which]);
    flow_input in = {
        .source = &t->list[which].base, .key = t->key, .ends_only = which, .team = team, .few = 1};
    *(which ? &in.gives : &in.takes) = t->ring;
    if (flow_run(engine_of(t, which), &in, &error)) fail_msg("%s", error.reason);
}

static void lead_whole(void *context, thread_team *team) {
    run_one(context, 0, team);
}

static void lead_ends(void *context, thread_team *team) {
    run_one(context, 1, team);
}

/* What a run found. */
typedef struct found {
    flow_totals t;
    uint64_t *time;
    double *carried;
    uint64_t *told;
} found;

static found found_by(trial *t, unsigned which) {
    flow_engine *e = engine_of(t, which);
    found f = {.t = *flow_result(e)};
    f.time = calloc(f.t.arrived + 1, sizeof *f.time);
    f.carried = calloc(t->net->links, sizeof *f.carried);
    f.told = calloc(t->list[which].count, sizeof *f.told);
    assert_true(f.time && f.carried && f.told);
    memcpy(f.time, flow_times(e), f.t.arrived * sizeof *f.time);
    memcpy(f.told, t->list[which].told, t->list[which].count * sizeof *f.told);
    for (uint64_t l = 0; l < t->net->links; l++) f.carried[l] = flow_carried(e, l);
    return f;
}

static void found_free(found *f) {
    free(f->time);
    free(f->carried);
    free(f->told);
}

static void assert_found(trial *t, unsigned which, const found *want) {
    found have = found_by(t, which);
    assert_int_equal(have.t.arrived, want->t.arrived);
    assert_int_equal(have.t.end, want->t.end);
    assert_int_equal(have.t.instants, want->t.instants);
    assert_int_equal(have.t.rates, want->t.rates);
    assert_memory_equal(have.time, want->time, want->t.arrived * sizeof *have.time);
    if (!which || !t->beside)
        assert_memory_equal(have.carried, want->carried, t->net->links * sizeof *have.carried);
    assert_memory_equal(have.told, want->told, t->list[which].count * sizeof *have.told);
    found_free(&have);
}

static void agree(size_t where, kind k) {
    place p = place_make(places[where].net, places[where].routing);
    const flow_options o = {.unit = 1000,
                            .delay = 100000,
                            .spray = places[where].spray,
                            .rate = places[where].rate,
                            .threads = 3};
    trial t = {.net = p.net, .key = bough_key_make(7, 0)};
    found want[2];
    bough_error error;
    for (unsigned i = 0; i < 2; i++) {
        t.list[i] = draw_messages(p.net, k);
        if (flow_make(p.routing, &o, 0, &t.engine[i], &error)) fail_msg("%s", error.reason);
        run_one(&t, i, NULL);
        want[i] = found_by(&t, i);
        assert_int_equal(want[i].t.arrived, t.list[i].count);
    }
    if (flow_make_beside(t.engine[0], 0, &t.made_beside, &error)) fail_msg("%s", error.reason);
    for (unsigned round = 0; round < 6; round++) {
        const unsigned workers = 1 + round / 2;
        t.beside = round % 2;
        team_run(workers, lead_whole, &t);
        team_run(workers, lead_ends, &t);
        for (unsigned i = 0; i < 2; i++) assert_found(&t, i, &want[i]);
        for (uint64_t room = 0; room < 3; room++) { /* in the ring: none, little, all */
            if (room)
                assert_int_equal(
                    flow_make_ring(t.engine[0], room == 1 ? 5 : t.list[0].count, &t.ring, &error), BOUGH_OK);
            team_run_two(workers, (void (*const[2])(void *, thread_team *)){lead_whole, lead_ends}, &t);
            for (unsigned i = 0; i < 2; i++) assert_found(&t, i, &want[i]);
            flow_path_ring_free(t.ring);
            t.ring = NULL;
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        found_free(&want[i]);
        flow_destroy(t.engine[i]);
        listed_fini(&t.list[i]);
    }
    flow_destroy(t.made_beside);
    place_free(&p);
}

static void test_teams(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++)
        for (kind k = EXCHANGE; k < KINDS; k++) agree(i, k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_teams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
