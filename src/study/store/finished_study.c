#include "study/store/finished_study.h"

#include "base/text/text.h"
#include "study/store/study_json.h"

#include <sys/stat.h>
#include <unistd.h>

bool study_is_sealed(const char *directory) {
    struct stat info;
    bough_text path = {0};
    bough_text_printf(&path, "%s/results.sqlite", directory);
    bool held = !path.failed && stat(path.data, &info) == 0;
    bough_text_fini(&path);
    return held && access(directory, W_OK) != 0;
}

answer_count study_count_answers(const bough_study *study) {
    answer_count c = {0};
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++, c.all++)
            c.complete += study->point[i].answer[k].complete;
    return c;
}

bool study_same_effort(const bough_effort *a, const bough_effort *b) {
    return a->trials == b->trials && a->precision == b->precision && a->watch == b->watch;
}

static bough_status check(const bough_study *held, const bough_study *study, const char *directory,
                          bough_error *error) {
    char difference[256];
    if (question_differs(held, study, difference, sizeof difference))
        return bough_fail(error, BOUGH_INVALID, directory,
                          "contains the results of another study (%s); choose another --out", difference);
    if (!study_same_effort(&held->effort, &study->effort))
        return bough_fail(
            error, BOUGH_INVALID, directory,
            "contains results of another number of trials or another precision, and is not writable");
    answer_count count = study_count_answers(held);
    if (count.complete < count.all)
        return bough_fail(error, BOUGH_IO, directory,
                          "contains only part of the results, and is not writable");
    return BOUGH_OK;
}

bough_status study_take_finished(const char *directory, bough_study *study, bough_error *error) {
    bough_study held;
    bough_status status = bough_store_load_asked(directory, study, &held, error);
    if (status) return status;
    status = check(&held, study, directory, error);
    if (status) {
        bough_study_fini(&held);
        return status;
    }
    bough_study_fini(study);
    *study = held;
    return BOUGH_OK;
}
