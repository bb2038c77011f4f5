#include "network/spec_or_file.h"

#include "network/net.h"

#include <string.h>
#include <unistd.h>

static bool is_spec(const bough_registry *registry, const char *argument) {
    size_t length = strcspn(argument, ":");
    const bough_family *f;
    const bough_net *net;
    for (size_t i = 0; (f = bough_family_at(registry, i)); i++)
        if (strlen(f->name) == length && strncmp(argument, f->name, length) == 0) return true;
    for (size_t i = 0; (net = bough_registry_item(registry, BOUGH_LIST_NETWORKS, i)); i++)
        if (strcmp(net->spec, argument) == 0) return true;
    return false;
}

void put_network_spec(bough_text *out, const bough_registry *registry, const char *argument, bool file) {
    bool spec = is_spec(registry, argument);
    bool path = strcmp(argument, "-") == 0;
    if (access(argument, F_OK) == 0)
        path |= file || !spec;
    else /* fatree:n=8 is more likely a misspelt spec than a missing file */
        path |= !spec && !strchr(argument, ':') && (file || strpbrk(argument, "./"));
    if (path) bough_text_put(out, "ibnet:file=");
    if (path)
        bough_text_put_quoted(out, argument);
    else
        bough_text_put(out, argument);
}

void put_tables_spec(bough_text *out, const char *path) {
    bough_text_put(out, "lft:file=");
    bough_text_put_quoted(out, path);
}

bough_status network_argument_spec(const network_argument *argument, const bough_registry *registry,
                                   arena *memory, char **spec, bough_error *error) {
    const char *const value[][2] = {
        {"order", argument->order}, {"endpoints", argument->endpoints}, {"names", argument->names}};
    bough_text text = {0};
    put_network_spec(&text, registry, argument->text, argument->file);
    const char *separator = strchr(text.data ? text.data : "", ':') ? "," : ":";
    for (int k = 0; k < 3; k++) {
        if (!value[k][1]) continue;
        bough_text_printf(&text, "%s%s=", separator, value[k][0]);
        bough_text_put_quoted(&text, value[k][1]);
        separator = ",";
    }
    if (argument->aggregation) bough_text_printf(&text, "%saggregation=1", separator);
    *spec = NULL;
    return bough_text_keep(&text, memory, spec, error);
}
