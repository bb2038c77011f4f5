/* What libyaml's document API takes quadratic time for: it looks at all open collections for each token, and
 * at all anchors for each anchor. Files that bough reads nest four collections, and need no anchors. */
#ifndef BOUGH_BASE_TEXT_YAML_LIMITS_H
#define BOUGH_BASE_TEXT_YAML_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

enum { YAML_DEPTH_MAX = 64, YAML_ANCHORS_MAX = 1000 };

typedef struct yaml_excess {
    const char *reason; /* static */
    size_t line;
} yaml_excess;

/* Whether a text exceeds a limit; *excess then says where. Looks at the events of the text up to its first
 * error, which loading it reports. Linear in the text. */
bool yaml_exceeds_limits(const char *text, size_t size, yaml_excess *excess);

#endif
