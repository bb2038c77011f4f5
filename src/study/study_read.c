/* Reads a study: a path, standard input, or a study embedded in the binary. */
#include "base/files/input.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/embedded_studies.h"
#include "study/files/study_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* "studies/fig4.yaml" -> "fig4" */
static bough_status title_from(bough_study *study, const char *name, bough_error *error) {
    const char *slash = strrchr(name, '/'), *from = slash ? slash + 1 : name;
    size_t length = strcspn(from, ".");
    return arena_copy_bytes(&study->memory, &study->title, length ? from : "study", length ? length : 5,
                            error);
}

bough_status bough_study_parse(bough_study *study, const bough_study_text *t, bough_error *error) {
    *study = (bough_study){0};
    raw_study raw = {0};
    bough_status status = raw_parse(&raw, t->name, t->text, t->size, error);
    for (size_t i = 0; i < t->settings && !status; i++) status = raw_set(&raw, &t->setting[i], error);
    TRY(raw_expand(&raw, study, t->limit ? t->limit : BOUGH_POINTS_MAX, error));
    if (!status && !study->title) status = title_from(study, t->name, error);
    arena_fini(&raw.memory);
    if (status) bough_study_fini(study);
    return status;
}

static bough_status unknown_study(const char *name, bough_error *error) {
    const char *names[256];
    size_t count = 0;
    for (const struct bough_embedded *e = bough_embedded_studies; e->name && count < 256; e++)
        names[count++] = e->name;
    char hint[BOUGH_HINT_MAX];
    return bough_fail(error, BOUGH_INVALID, name,
                      "no such file, and no built-in study of that name%s; see `bough list studies`",
                      bough_hint(hint, name, names, count));
}

bough_status bough_study_read(bough_study *study, const char *name, const bough_override *setting,
                              size_t settings, bough_error *error) {
    *study = (bough_study){0};
    for (const struct bough_embedded *e = bough_embedded_studies; e->name; e++)
        if (strcmp(e->name, name) == 0) {
            bough_study_text text = {name, e->text, strlen(e->text), setting, settings, 0};
            return bough_study_parse(study, &text, error);
        }
    struct stat info;
    bool standard = strcmp(name, "-") == 0;
    bool there = standard || stat(name, &info) == 0;
    if (!there && errno != ENOTDIR)
        return unknown_study(name, error); /* ENOTDIR: perhaps a file of an archive */
    if (!standard && there && S_ISDIR(info.st_mode))
        return bough_fail(error, BOUGH_INVALID, name, "is a directory; a study is a single YAML file");
    bough_input input;
    bough_status status = bough_input_read(name, &input, error);
    if (status) return status;
    status = bough_input_single(&input, "YAML file", error);
    if (status) {
        bough_input_fini(&input);
        return status;
    }
    bough_study_text text = {input.piece->name, input.piece->data, input.piece->size, setting, settings, 0};
    status = bough_study_parse(study, &text, error);
    bough_input_fini(&input);
    return status;
}
