#include "cli/routings/adaptive_option.h"

#include "base/text/text.h"

#include <string.h>

static bool is_lft(const cli_args *args, size_t i) {
    return strcmp(args->option[i]->name, "lft") == 0;
}

static const char *tables_for(const cli_args *args, size_t at) {
    for (size_t i = at; i-- > 0;)
        if (is_lft(args, i)) return args->value[i];
    return cli_value(args, "lft");
}

bough_status adaptive_option_spec(const cli_args *args, size_t i, char **spec, bough_error *error) {
    const char *groups = args->value[i], *tables = tables_for(args, i);
    bough_text text = {0};
    if (strcmp(groups, "minimal") == 0) {
        bough_text_put(&text, "adaptive:groups=minimal");
        tables = NULL;
    } else if (strcmp(groups, "same-switch") == 0) {
        bough_text_put(&text, "adaptive:groups=same-switch");
    } else {
        bough_text_put(&text, "adaptive:file=");
        bough_text_put_quoted(&text, groups);
    }
    if (tables) {
        bough_text_put(&text, ",lft=");
        bough_text_put_quoted(&text, tables);
    }
    *spec = bough_text_take(&text);
    return *spec ? BOUGH_OK : bough_fail_memory(error, strlen(groups));
}
