#include "cli/network_argument.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "bough/faults.h"
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

bough_status cli_faults(const cli_args *args, char **spec, bough_error *error) {
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

bough_status cli_net_open(const cli_args *args, const char *argument, bool file, cli_net *n,
                          bough_error *error) {
    char *spec = NULL, *faults = NULL;
    *n = (cli_net){0};
    bough_status status = cli_network_spec(args, argument, file, &spec, error);
    TRY(bough_net_open(spec, args->registry, &n->whole, error));
    TRY(cli_faults(args, &faults, error));
    if (!status && faults) status = bough_net_with_faults(n->whole, faults, &n->faulty, error);
    const char *physical = cli_value(args, "physical");
    if (!status && physical) status = bough_physical_create(physical, &n->physical, error);
    if (n->whole) bough_net_set_physical(n->whole, n->physical);
    if (n->faulty) bough_net_set_physical(n->faulty, n->physical);
    n->net = n->faulty ? n->faulty : n->whole;
    FREE_ALL(spec, faults);
    return status;
}

void cli_net_close(cli_net *n) {
    bough_net_destroy(n->faulty);
    bough_net_destroy(n->whole);
    bough_physical_destroy(n->physical);
}
