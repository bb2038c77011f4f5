#include "report/comparison/premise_lines.h"

#include "document/narrow_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 80 };

/* Takes ownership of the text. */
static void count_line(premise_lines *l, char *text) {
    size_t i = 0;
    while (i < l->count && strcmp(l->text[i], text) != 0) i++;
    if (i == l->count && i < PREMISE_LINES_MAX) {
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

static bough_status count_answer(premise_lines *l, const bough_study_point *p, const bough_answer *a,
                                 bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < a->premises && !status; i++) {
        bough_text text = {0};
        char *line;
        bough_text_put(&text, a->method);
        if (p->routings > 1 && a->routed) bough_text_printf(&text, " under %s", p->routing[a->routing].spec);
        bough_text_printf(&text, ": %s", a->premise[i]);
        status = bough_text_finish(&text, &line, error);
        if (!status) count_line(l, line);
    }
    return status;
}

bough_status premise_lines_make(const bough_study *study, premise_lines *l, bough_error *error) {
    bough_status status = BOUGH_OK;
    *l = (premise_lines){0};
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers && !status; k++)
            status = count_answer(l, &study->point[i], &study->point[i].answer[k], error);
    if (status) premise_lines_fini(l);
    return status;
}

void premise_lines_fini(premise_lines *l) {
    for (size_t i = 0; i < l->count; i++) free(l->text[i]);
    *l = (premise_lines){0};
}

void premise_lines_put(bough_text *out, const bough_study *study) {
    premise_lines l;
    if (premise_lines_make(study, &l, NULL)) out->failed = true;
    for (size_t i = 0; i < l.count; i++) {
        bough_text line = {0};
        bough_text_put(&line, l.text[i]);
        if (l.points[i] < study->points)
            bough_text_printf(&line, " (%" PRIu64 " of %zu points)", l.points[i], study->points);
        put_wrapped_text(out, &line, LINE);
    }
    if (l.more) bough_text_printf(out, "... %" PRIu64 " more in --json\n", l.more);
    if (l.count) bough_text_put(out, "\n");
    premise_lines_fini(&l);
}
