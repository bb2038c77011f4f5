#include "cli/network_argument.h"

#include "api/api_question.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "network/faults/faults.h"
#include "network/spec_or_file.h"

#include <stdlib.h>
#include <string.h>

bough_status cli_network_spec(const cli_args *args, const char *argument, bool file, char **spec,
                              bough_error *error) {
    static const char *const keys[] = {"order", "endpoints"};
    bough_text text = {0};
    put_network_spec(&text, args->registry, argument, file);
    const char *separator = strchr(text.data ? text.data : "", ':') ? "," : ":";
    for (int k = 0; k < 2; k++) {
        const char *value = cli_value(args, keys[k]);
        if (!value) continue;
        bough_text_printf(&text, "%s%s=", separator, keys[k]);
        bough_text_put_quoted(&text, value);
        separator = ",";
    }
    if (cli_has(args, "aggregation")) bough_text_printf(&text, "%saggregation=1", separator);
    *spec = bough_text_take(&text);
    return *spec ? BOUGH_OK : bough_fail_memory(error, strlen(argument));
}

/* All --faults, joined; NULL: none. Heap. */
static bough_status join_faults(const cli_args *args, char **spec, bough_error *error) {
    const char **list;
    size_t count = 0;
    bough_status status = bough_alloc(&list, args->values, sizeof *list, error);
    if (status) return status;
    while (cli_value_at(args, "faults", count)) {
        list[count] = cli_value_at(args, "faults", count);
        count++;
    }
    status = bough_faults_join(list, count, spec, error);
    free(list);
    return status;
}

bough_status cli_network_open(const cli_args *args, const char *argument, bool file, bough_network **network,
                              bough_error *error) {
    char *spec = NULL, *faults = NULL;
    bough_status status = cli_network_spec(args, argument, file, &spec, error);
    TRY(join_faults(args, &faults, error));
    const bough_network_options options = {.size = sizeof options,
                                           .faults = faults,
                                           .physical = cli_value(args, "physical"),
                                           .registry = args->registry};
    TRY(bough_network_open(spec, &options, network, error));
    FREE_ALL(spec, faults);
    return status;
}

/* ---- questions ---- */

bough_status cli_question(const cli_args *args, const char *network, bough_question **question,
                          bough_error *error) {
    bough_status status = bough_question_create(question, error);
    if (status) return status;
    (*question)->dashes = "--";
    if (args->registry) status = bough_question_use_registry(*question, args->registry, error);
    if (network) TRY(bough_question_set(*question, "network", network, error));
    return status;
}

bough_status cli_question_take(const cli_args *args, const char *const *name, bough_question *question,
                               bough_error *error) {
    bough_status status = BOUGH_OK;
    for (; *name; name++)
        for (size_t i = 0; cli_value_at(args, *name, i); i++)
            TRY(bough_question_set(question, *name, cli_value_at(args, *name, i), error));
    return status;
}
