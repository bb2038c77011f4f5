#include "support/thread_rows.h"

#include "support/points.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void assert_same_rows(const bough_run *run, const bough_rows *have, const bough_rows *want) {
    const char *net = run->point.net->spec;
    if (have->count != want->count || have->outcome != want->outcome || strcmp(have->note, want->note) != 0)
        fail_msg("%s on %s: other rows, outcome or note with %u threads", run->spec, net, run->threads);
    for (size_t i = 0; i < want->count; i++) {
        const bough_row *a = &want->row[i], *b = &have->row[i];
        if (a->metric != b->metric || a->index != b->index ||
            memcmp(&a->value, &b->value, sizeof a->value) != 0)
            fail_msg("%s on %s, %u threads: row %zu (%s, index %" PRId64 ") is %.17g, not %.17g", run->spec,
                     net, run->threads, i, bough_metrics[b->metric].name, b->index, b->value, a->value);
    }
}

static void run_into(const bough_run *run, uint64_t trial, void **space, bough_rows *rows) {
    bough_error error = {0};
    if (bough_run_trial(run, bough_key_make(1, trial), space, rows, &error))
        fail_msg("%s on %s, %u threads: %s", run->spec, run->point.net->spec, run->threads, error.reason);
}

void threads_agree(const threads_question *q, const unsigned *threads, bool parallel) {
    bough_point p = point_make(q->network, q->routing, q->traffic);
    bough_run *run = run_make(&p, q->method);
    void *one = NULL, *several = NULL;
    bough_rows want = {0}, have = {0};
    if (run->parallel != parallel)
        fail_msg("%s on %s: parallel is %d", run->spec, q->network, (int)run->parallel);
    if (!parallel) assert_int_equal(run->bytes_each + run->bytes_team, 0);
    for (size_t i = 0; threads[i]; i++) {
        run->threads = 1;
        run_into(run, i / 2, &one, &want);
        run->threads = threads[i];
        run_into(run, i / 2, &several, &have);
        assert_same_rows(run, &have, &want);
    }
    bough_rows_fini(&want);
    bough_rows_fini(&have);
    bough_run_free_workspace(run, one);
    bough_run_free_workspace(run, several);
    bough_run_destroy(run);
    point_free(&p);
}
