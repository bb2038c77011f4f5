/* What bough_permutation_write writes, messages:FILE reads. */
#include "traffic/traffic.h"

#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 8 };

static void wrong_names(void **state) {
    (void)state;
    static const uint32_t to[N] = {1, 0, 3, 2, 5, 4, 7, 6};
    bough_error error;
    assert_int_equal(bough_permutation_write("nowhere/x.csv", NULL, to, N, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "nowhere/x.csv");
}

static void reads_back(const char *comment, const uint32_t *to, const char *text) {
    const char *path = temporary_name("permutation.csv");
    char *spec = spec_of("messages", path), have[512] = "";
    bough_net *net = net_make("fattree:n=8");
    bough_traffic *traffic;
    bough_batch batch;
    bough_error error;
    assert_int_equal(bough_permutation_write(path, comment, to, N, &error), BOUGH_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    have[fread(have, 1, sizeof have - 1, file)] = 0;
    fclose(file);
    assert_string_equal(have, text);
    assert_int_equal(bough_traffic_create(net, spec, &traffic, &error), BOUGH_OK);
    assert_int_equal(bough_batch_read(traffic, bough_key_make(1, 0), &batch, &error), BOUGH_OK);
    uint64_t i = 0;
    for (uint32_t e = 0; e < N; e++) {
        if (to[e] == e) continue;
        assert_true(i < batch.count && batch.source[i] == e && batch.address[i] == to[e]);
        i++;
    }
    assert_int_equal(batch.count, i);
    bough_batch_fini(&batch);
    bough_traffic_destroy(traffic);
    bough_net_destroy(net);
    free(spec);
}

static void comes_back(void **state) {
    (void)state;
    static const uint32_t swap[N] = {1, 0, 3, 2, 5, 4, 7, 6}, stay[N] = {0, 2, 1, 3, 4, 7, 6, 5};
    reads_back(NULL, swap, "source,destination\n0,1\n1,0\n2,3\n3,2\n4,5\n5,4\n6,7\n7,6\n");
    reads_back(
        "two lines\n\tof \"any\" \xff text, 1,2", stay,
        "# two lines\n# ?of \"any\" \xff text, 1,2\nsource,destination\n0,0\n1,2\n2,1\n3,3\n4,4\n5,7\n6,6\n7,"
        "5\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_names), cmocka_unit_test(comes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
