#include "study/run/block_run.h"

#include "base/clock.h"
#include "study/run/point_binding.h"

static bough_status bind(block_runner *b, const trial_block *block, bough_error *error) {
    bough_study *study = b->study;
    block_runner_fini(b);
    bough_status status = bind_point(study, block->point, error);
    if (status) return status;
    const bough_study_point *p = &study->point[block->point];
    const bough_answer *a = &p->answer[block->answer];
    bough_run *run = study->binding->run[block->answer];
    run->stop = b->stop;
    b->point = block->point;
    b->answer = block->answer;
    return trial_crew_create(&(trial_request){.run = run,
                                              .seed = study->seed,
                                              .threads = answer_threads(study, p, a, b->threads),
                                              .team = answer_team(study, p, a, b->threads),
                                              .context = b->context,
                                              .take = b->take,
                                              .pulse = b->pulse},
                             &b->crew, error);
}

void block_run(block_runner *b, const trial_block *block, block_result *result) {
    bool same = b->crew && b->point == block->point && b->answer == block->answer;
    bool bound = b->study->binding && b->study->binding->point == block->point;
    double start = clock_seconds();
    bough_status status = same ? BOUGH_OK : bind(b, block, &result->error);
    result->bind = bound ? 0 : clock_seconds() - start;
    if (!status) status = trial_crew_run(b->crew, block->first, block->count, &result->error);
    result->seconds = status ? 0 : trial_crew_seconds(b->crew);
    result->status = status;
}

void block_runner_fini(block_runner *b) {
    trial_crew_destroy(b->crew);
    b->crew = NULL;
}
