/* Batches that a team of threads draws have the messages of those that one thread reads, in the same order.
 */
#include "support/fabrics.h"
#include "support/points.h"
#include "traffic/patterns/batch_team.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct reading {
    const bough_traffic *traffic;
    bough_batch batch;
    bough_status status;
    bough_error error;
} reading;

static void read_batch(void *context, thread_team *team) {
    reading *r = context;
    r->status = batch_read_team(r->traffic, bough_key_make(7, 3), team, &r->batch, &r->error);
}

static void agree(const char *network, const char *traffic) {
    bough_point p = point_make(network, "free", traffic);
    bough_batch want;
    assert_int_equal(bough_batch_read(p.traffic, bough_key_make(7, 3), &want, NULL), BOUGH_OK);
    for (unsigned threads = 1; threads <= 4; threads++) {
        reading r = {.traffic = p.traffic};
        team_run(threads, read_batch, &r);
        assert_int_equal(r.status, BOUGH_OK);
        if (r.batch.count != want.count)
            fail_msg("%s on %s: %llu messages with %u threads", traffic, network,
                     (unsigned long long)r.batch.count, threads);
        assert_memory_equal(r.batch.source, want.source, want.count * sizeof *want.source);
        assert_memory_equal(r.batch.address, want.address, want.count * sizeof *want.address);
        bough_batch_fini(&r.batch);
    }
    bough_batch_fini(&want);
    point_free(&p);
}

/* Parts: of odd size, with endpoints that send nothing, at random. */
static void parts(void **state) {
    (void)state;
    agree("fattree:n=32768", "uniform");
    agree("kary:k=27,levels=3", "uniform");
    agree("fattree:n=32768", "bitrev");
    agree("kary:k=27,levels=3", "shift:k=5");
    agree("transit:leaf=12,stages=2", "local:p=0.3");
    agree("transit:leaf=12,stages=2", "local:columns=uniform");
}

/* Few messages, random senders, a drawn permutation, several requests of an endpoint, no parts. */
static void left_to_one_thread(void **state) {
    (void)state;
    agree("fattree:n=1024", "uniform");
    agree("fattree:n=32768", "uniform:m=20000");
    agree("fattree:n=32768", "randperm");
    agree("transit:leaf=12,stages=2", "local:inject=line");
    agree("fattree:n=32768", "hotspot");
}

static void streams_are_refused(void **state) {
    (void)state;
    bough_point p = point_make("fattree:n=32768", "free", "poisson:load=0.1");
    for (unsigned threads = 1; threads <= 2; threads++) {
        reading r = {.traffic = p.traffic};
        team_run(threads, read_batch, &r);
        assert_int_equal(r.status, BOUGH_UNSUPPORTED);
        assert_non_null(strstr(r.error.reason, "is not a batch"));
    }
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_are_refused),
        cmocka_unit_test(parts),
        cmocka_unit_test(left_to_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
