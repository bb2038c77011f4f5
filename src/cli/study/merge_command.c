/* bough merge: joins the stores of the shards of a study. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/escape.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "study/store/finished_study.h"
#include "study/study.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const question_key options[] = {
    {"out", 'o', "DIR", "directory of the joined results (required)", 0, "DIRECTORY"},
    KEYS_END,
};

const cli_usage merge_usage = {
    "merge",
    "-o DIR STORE...",
    "Joins the results of the shards of a study: STOREs are the DIRs of `bough run --shard`.",
    options,
    "The result equals that of one run. `bough report DIR` prints it. If shards are missing or not\n"
    "finished, `bough run STUDY -o DIR` computes the rest.\n\n"
    "  bough run fig4.yaml --shard 1/2 -o part1\n"
    "  bough run fig4.yaml --shard 2/2 -o part2\n"
    "  bough merge -o fig4 part1 part2\n",
    {{"STORE", "DIRECTORY", KEY_REPEAT}}};

static uint64_t count_trials(const bough_study *study) {
    uint64_t trials = 0;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) trials += study->point[i].answer[k].trials;
    return trials;
}

static bough_status describe(const bough_study *study, const char *directory, bough_error *error) {
    answer_count c = study_count_answers(study);
    bough_text out = {0};
    bough_text_printf(&out, "%s: %zu point%s, %zu of %zu answers complete, %" PRIu64 " trial%s\n", directory,
                      study->points, bough_s(study->points), c.complete, c.all, count_trials(study),
                      bough_s(count_trials(study)));
    if (c.complete < c.all) {
        bough_text_printf(&out, "%zu answer%s %s missing; complete them with: %s -o ", c.all - c.complete,
                          bough_s(c.all - c.complete), (c.all - c.complete) == 1 ? "is" : "are",
                          study->command ? study->command : "bough run STUDY");
        bough_text_put_word(&out, directory);
        bough_text_put(&out, "\n");
    }
    return cli_print_text(&out, error);
}

int merge_command(int argc, char **argv) {
    cli_args args;
    bough_error error = {0};
    bough_study study = {0};
    int code = cli_parse(&merge_usage, argc, argv, &args);
    if (code != CLI_GO) return code;
    const char *out = cli_value(&args, "out");
    if (!out || !args.positionals) {
        code = cli_wrong("merge",
                         out ? "the stores are missing" : "the directory of the result is missing: -o DIR");
    } else {
        bough_status status = bough_store_merge(out, args.positional, args.positionals, &error);
        TRY(bough_store_load(out, &study, &error));
        TRY(describe(&study, out, &error));
        code = status ? cli_fail(&error) : 0;
    }
    bough_study_fini(&study);
    cli_args_fini(&args);
    return code;
}
