/* Hostlists as Slurm writes them: "node[001-016,020],login1". */
#ifndef BOUGH_FORMATS_SLURM_HOST_LIST_H
#define BOUGH_FORMATS_SLURM_HOST_LIST_H

#include "base/text/scanner.h"
#include "base/text/text.h"
#include "bough/status.h"

#include <stdint.h>

#define HOST_LIST_MAX      (UINT32_C(1) << 20) /* names */
#define HOST_LIST_BYTES    (UINT32_C(1) << 26) /* of all names */
#define HOST_LIST_BRACKETS 8                   /* in one name */
#define HOST_NAME_MAX_     63                  /* bytes of a name */

/* Zero-initialise. */
typedef struct host_list {
    char **name; /* [count] */
    size_t count;
    uint64_t bytes; /* of all names */
    arena memory;   /* of all of it; the caller frees it */
} host_list;

/* Adds one name. Errors: TOO_LARGE beyond the limits above. */
bough_status host_list_add(host_list *list, const char *place, bough_slice name, bough_error *error);
/* Adds the names of an expression, in its order, repeated ones too: "a[1-2]b[1-2],c". Numbers keep leading
 * zeros. Errors: INVALID at `place` for a bracket that is not closed, an empty name, a range that falls or is
 * no number; TOO_LARGE. */
bough_status host_list_expand(host_list *list, const char *place, bough_slice text, bough_error *error);

/* Appends the names as one expression: sorted, without repetitions, and with ranges, as `scontrol show
 * hostlistsorted` prints distinct names. */
bough_status host_list_put(bough_text *out, const char *const *name, size_t count, bough_error *error);
/* In the order given, which host_list_expand returns: "n[1,3,2]". */
bough_status host_list_put_in_order(bough_text *out, const char *const *name, size_t count,
                                    bough_error *error);

/* Whether Slurm can hold a name: 1 to 63 letters, digits, '.', '_' and '-', and no keyword (ALL, DEFAULT). */
bool host_name_fits(const char *name);
/* Order of names: runs of digits count as numbers. */
int host_name_compare(const char *a, const char *b);

#endif
