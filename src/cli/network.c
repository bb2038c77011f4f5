#include "cli/network.h"

#include "base/memory.h"
#include "base/text.h"
#include "bough/net.h"

#include <string.h>
#include <unistd.h>

static bool is_spec(const char *argument) {
    size_t length = strcspn(argument, ":");
    for (const bough_family *const *f = bough_families; *f; f++)
        if (strlen((*f)->name) == length && strncmp(argument, (*f)->name, length) == 0) return true;
    return false;
}

bough_status cli_network_spec(const cli_args *args, const char *argument, bool file, char **spec, bough_error *error) {
    static const char *const keys[] = {"order", "endpoints"};
    bough_text text = {0};
    if (file && (!is_spec(argument) || access(argument, F_OK) == 0)) {
        bough_text_put(&text, "ibnet:file=");
        bough_text_put_quoted(&text, argument);
    } else {
        bough_text_put(&text, argument);
    }
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
