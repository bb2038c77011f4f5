/* Study files: YAML, expressions, expansion; and the skeleton that a store would keep of them. Nothing is
 * run, and a study has at most 200 points. */
#include "study/store/study_json.h"
#include "study/study.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bough_study study, again = {0};
    bough_error error = {0};
    /* The first byte chooses a setting, the rest is the file. */
    static const bough_override settings[] = {
        {"n", "2^4..2^8 times 2"}, {"m", "[n/8, n]"}, {"precision", "1%"}, {"traffic", "[uniform, \"{p}\"]"}};
    size_t which = size ? *data % 5 : 4;
    if (size) data++, size--;
    if (bough_study_parse(
            &study,
            &(bough_study_text){"fuzz.yaml", (const char *)data, size, &settings[which % 4], which < 4, 200},
            &error)) {
        if (!error.reason[0]) abort(); /* every refusal has a reason */
        return 0;
    }
    char *question = question_write(&study), *view = view_write(&study);
    if (!question || !view) abort();
    /* What was only parsed has no answers, and a store without answers is refused. */
    if (question_read(question, &again, &error) != BOUGH_FAILED || !error.reason[0]) abort();
    bough_study_fini(&again);
    again = (bough_study){.axis = study.axis, .axes = study.axes}; /* of its question */
    if (view_read(view, &again, &error)) abort();
    again.axis = NULL;
    again.axes = 0;
    bough_study_fini(&again);
    free(question);
    free(view);
    bough_study_fini(&study);
    return 0;
}
