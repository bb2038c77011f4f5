/* Rows that a method adds together. */
#ifndef BOUGH_METHOD_ROWS_H
#define BOUGH_METHOD_ROWS_H

#include "method/method.h"

/* A row without an index, added only if `present`. */
typedef struct optional_row {
    bool present;
    bough_metric_id metric;
    double value, ci95; /* ci95: half-width of the 95 % interval of the value; 0: none */
} optional_row;
/* A message without a route. */
typedef struct unrouted_message {
    uint64_t source, address;
} unrouted_message;
/* Writes into the note how many messages have no route, and the first of them. */
void rows_note_unrouted(bough_rows *rows, const bough_net *net, uint64_t count,
                        const unrouted_message *first);
/* Appends formatted text to the note, as far as it fits. */
void rows_note_append(bough_rows *rows, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The value of a metric without an index; false if there is none. */
bool rows_find(const bough_rows *rows, bough_metric_id metric, double *value);
bough_status rows_add_present(bough_rows *rows, const optional_row *row, size_t count, bough_error *error);

/* ---- names of the indices of metrics, kept at the end of the note of a trial: "jobs: 0 ring, 1 alltoall"
 * ---- */

/* Adds the name of an index of metrics with this meaning ("label", "link", "job", "change"), after what the
 * note says and other names. A name that is there is not repeated; one that does not fit is left out, and so
 * is one after names of another meaning. */
void index_name_put(char note[BOUGH_NOTE_MAX], const char *meaning, int64_t index, const char *name);
/* Finds the name of an index; false if the note has none. */
bool index_name_find(const char note[BOUGH_NOTE_MAX], const char *meaning, int64_t index,
                     char name[BOUGH_NOTE_MAX]);
/* The name that was added first, and its index; false if the note has none. */
bool index_name_first(const char note[BOUGH_NOTE_MAX], const char *meaning, int64_t *index,
                      char name[BOUGH_NOTE_MAX]);
/* The meaning of one index more that a note may name: the link of link_use_max. */
#define MOST_USED_LINK "most used link"
/* The name of an index of a metric: as above, and "ring by alltoall" of two jobs (index_pair). False: none.
 */
bool index_metric_name(const char note[BOUGH_NOTE_MAX], bough_metric_id metric, int64_t index,
                       char name[BOUGH_NOTE_MAX]);
/* The index of two jobs, each below INDEX_PAIRS. */
#define INDEX_PAIRS 1000
int64_t index_pair(int64_t one, int64_t other);
/* Length of what the note says before the names. */
size_t index_names_at(const char note[BOUGH_NOTE_MAX]);

#endif
