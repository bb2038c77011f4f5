/* Runs a resolved study in this process: the dealer's only rank. */
#include "base/status/try.h"
#include "base/threads.h"
#include "study/run/block_run.h"

static bough_status take(void *context, uint64_t trial, const bough_rows *rows, bough_error *error) {
    (void)trial;
    return dealer_add(context, rows, error);
}

static void pulse(void *context, double running) {
    dealer_report(context, running);
}

bough_status bough_study_run(bough_study *study, const bough_study_options *options, bough_error *error) {
    trial_dealer *dealer;
    trial_block block;
    bough_status status = dealer_create(study, options, 1, &dealer, error);
    if (status) return status;
    block_runner runner = {.study = study,
                           .threads = options->threads,
                           .stop = options->stop,
                           .context = dealer,
                           .take = take,
                           .pulse = options->progress ? pulse : NULL};
    dealer_join(dealer, 0, options->threads ? options->threads : parallel_processors());
    while (dealer_next(dealer, 0, &block)) {
        block_result result = {0};
        block_run(&runner, &block, &result);
        dealer_take(dealer, 0, &result, NULL);
    }
    block_runner_fini(&runner);
    status = dealer_end(dealer, error);
    if (!options->store || options->check_only) return status;
    bough_status committed = store_commit(options->store, status ? NULL : error);
    return status ? status : committed;
}
