#include "study/run/output_files.h"

#include "base/memory/memory.h"
#include "study/run/point_binding.h"

#include <stdlib.h>
#include <string.h>

struct output {
    char *path;
    size_t point, answer;
};

bough_status outputs_note(output_book *book, const bough_run *run, size_t point, size_t answer,
                          bough_error *error) {
    const bough_param *params = run->method->params;
    for (size_t i = 0; params[i].key; i++) {
        if (!params[i].output || !run->args.value[i].set) continue;
        bough_status status =
            bough_grow(&book->item, &book->capacity, book->count + 1, sizeof *book->item, error);
        if (status) return status;
        char *path = bough_strdup(run->args.value[i].text);
        if (!path) return bough_fail_memory(error, strlen(run->args.value[i].text));
        book->item[book->count++] = (struct output){path, point, answer};
    }
    return BOUGH_OK;
}

static int by_path(const void *a, const void *b) {
    const struct output *p = a, *q = b;
    int c = strcmp(p->path, q->path);
    if (c) return c;
    if (p->point != q->point) return p->point < q->point ? -1 : 1;
    return (p->answer > q->answer) - (p->answer < q->answer);
}

bough_status outputs_check(output_book *book, const bough_study *study, bough_error *error) {
    if (book->count) qsort(book->item, book->count, sizeof *book->item, by_path);
    for (size_t i = 1; i < book->count; i++) {
        const struct output *o = &book->item[i];
        if (strcmp(o->path, o[-1].path) != 0) continue;
        const bough_study_point *p = &study->point[o->point];
        const bough_answer *a = &p->answer[o->answer];
        bough_status status = bough_fail(
            error, BOUGH_INVALID, NULL, "%s%s%s would write %s again; give every answer its own file",
            a->method, a->routed ? " under " : "", a->routed ? p->routing[a->routing].spec : "", o->path);
        return point_fail(study, o->point, p->method[a->asked].line, status, error);
    }
    return BOUGH_OK;
}

void outputs_fini(output_book *book) {
    for (size_t i = 0; i < book->count; i++) free(book->item[i].path);
    free(book->item);
    *book = (output_book){0};
}
