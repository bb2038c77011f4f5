#include "network/spec_or_file.h"

#include "bough/net.h"

#include <string.h>
#include <unistd.h>

static bool is_spec(const char *argument) {
    size_t length = strcspn(argument, ":");
    for (const bough_family *const *f = bough_families; *f; f++)
        if (strlen((*f)->name) == length && strncmp(argument, (*f)->name, length) == 0) return true;
    return false;
}

void put_network_spec(bough_text *out, const char *argument, bool file) {
    bool path = strcmp(argument, "-") == 0;
    if (access(argument, F_OK) == 0)
        path |= file || !is_spec(argument);
    else /* fatree:n=8 is more likely a misspelt spec than a missing file */
        path |= !is_spec(argument) && !strchr(argument, ':') && (file || strpbrk(argument, "./"));
    if (path) bough_text_put(out, "ibnet:file=");
    if (path)
        bough_text_put_quoted(out, argument);
    else
        bough_text_put(out, argument);
}
