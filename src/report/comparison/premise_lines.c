#include "report/comparison/premise_lines.h"

#include "base/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 12 };

/* "queueing: assumes ...", one for each different method and sentence. */
typedef struct premise_lines {
    char *text[LINES_MAX];
    uint64_t points[LINES_MAX]; /* number of points that it concerns */
    size_t count;
    uint64_t more; /* broken premises beyond these lines */
} premise_lines;

/* Takes ownership of the text. */
static void count_line(premise_lines *l, char *text) {
    size_t i = 0;
    while (i < l->count && strcmp(l->text[i], text) != 0) i++;
    if (i == l->count && i < LINES_MAX) {
        l->points[i] = 1;
        l->text[l->count++] = text;
        return;
    }
    if (i < l->count)
        l->points[i]++;
    else
        l->more++;
    free(text);
}

static void count_answer(document *d, premise_lines *l, const bough_study_point *p, const bough_answer *a) {
    for (size_t i = 0; i < a->premises; i++) {
        bough_text text = {0};
        bough_text_put(&text, a->method);
        if (p->routings > 1 && a->routed) bough_text_printf(&text, " under %s", p->routing[a->routing].spec);
        bough_text_printf(&text, ": %s", a->premise[i]);
        char *line = bough_text_take(&text);
        d->failed |= !line;
        if (line) count_line(l, line);
    }
}

void premises_describe(document *d, const bough_study *study) {
    premise_lines l = {0};
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            count_answer(d, &l, &study->point[i], &study->point[i].answer[k]);
    if (l.count) document_section(d, "premises", "What does not hold here");
    for (size_t i = 0; i < l.count; i++) {
        bough_text line = bough_text_own(l.text[i]);
        if (l.points[i] < study->points)
            bough_text_printf(&line, " (%" PRIu64 " of %zu points)", l.points[i], study->points);
        document_list(d, &line);
    }
    if (l.more) document_item_of_list(d, "... %" PRIu64 " more in --json", l.more);
}
