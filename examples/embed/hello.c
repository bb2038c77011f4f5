/* How many rounds does the fat-tree of strumpen2005 need?
 *
 *     cc hello.c $(pkg-config --cflags --libs bough) && ./a.out */
#include <bough.h>

#include <stdio.h>

static bough_status ask(bough_question *question, bough_results **results, bough_error *error) {
    static const char *const setting[][2] = {{"network", "fattree:n=1024"},
                                             {"traffic", "uniform"},
                                             {"method", "circuit:mode=rounds"},
                                             {"trials", "20"}};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < sizeof setting / sizeof *setting && !status; i++)
        status = bough_question_set(question, setting[i][0], setting[i][1], error);
    return status ? status : bough_simulate(question, NULL, results, error);
}

int main(void) {
    bough_question *question = NULL;
    bough_results *results = NULL;
    bough_error error;
    bough_status status = bough_question_create(&question, &error);
    if (!status) status = ask(question, &results, &error);
    if (status) fprintf(stderr, "hello: %s: %s\n", error.place, error.reason);
    for (size_t i = 0; i < bough_results_count(results); i++) {
        bough_result row = bough_results_get(results, i);
        printf("%s %g %s\n", row.metric, row.mean, row.unit);
    }
    bough_results_destroy(results);
    bough_question_destroy(question);
    return bough_status_exit(status);
}
