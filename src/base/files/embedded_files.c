#include "base/files/embedded_files.h"

#include <string.h>
#include <unistd.h>

bough_status bough_input_read_or_embedded(const char *path, bough_input *input, bough_error *error) {
    bough_error here;
    bough_status status = bough_input_read(path, input, &here);
    for (const struct bough_embedded *e = bough_embedded_tables; status && e->name; e++)
        if (strcmp(e->name, path) == 0 && access(path, F_OK) != 0)
            return bough_input_from(path, e->text, strlen(e->text), input, error);
    if (status && error) *error = here;
    return status;
}
