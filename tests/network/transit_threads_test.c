/* Threads wire a transit network as one thread does. */
#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bough_net *opened(const char *spec, unsigned threads) {
    bough_net *net;
    bough_error error;
    if (bough_net_open_threads(spec, NULL, threads, &net, &error)) fail_msg("%s: %s", spec, error.reason);
    assert_int_equal(net->threads, 0); /* routings are left to the owner */
    return net;
}

static void agree(const char *spec) {
    bough_net *one = opened(spec, 1);
    for (unsigned threads = 2; threads <= 4; threads++) {
        bough_net *several = opened(spec, threads);
        assert_int_equal(several->links, one->links);
        assert_int_equal(several->bytes, one->bytes);
        for (uint64_t l = 0; l < one->links; l++) {
            bough_link_end want = one->ops->link_end(one, l), have = several->ops->link_end(several, l);
            if (have.node != want.node || have.port != want.port)
                fail_msg("%s, %u threads: link %llu ends elsewhere", spec, threads, (unsigned long long)l);
        }
        bough_net_destroy(several);
    }
    bough_net_destroy(one);
}

static void wiring(void **state) {
    (void)state;
    agree("transit:leaf=12,stages=2");
    agree("transit:leaf=12,stages=2,wires=deterministic");
    agree("transit:leaf=12,stages=2,wires=checked,wiring=5");
    agree("transit:leaf=12,stages=2,dilation=1");
    agree("transit:n=262144");
    agree("transit:flat=49152");
}

/* Fewer wires than are worth a thread; what fails, fails alike; families that have nothing to divide. */
static void small(void **state) {
    (void)state;
    bough_net *net;
    bough_error error;
    agree("transit:n=64");
    agree("fattree:n=1024");
    assert_int_equal(bough_net_open_threads("transit:n=65", NULL, 4, &net, &error), BOUGH_INVALID);
    assert_null(net);
    assert_int_equal(bough_net_open_threads("transits:n=64", NULL, 4, &net, &error), BOUGH_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small),
        cmocka_unit_test(wiring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
