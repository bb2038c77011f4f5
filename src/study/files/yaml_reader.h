/* What reading a study file needs at hand: the text, its document, and where errors go. */
#ifndef BOUGH_STUDY_FILES_YAML_READER_H
#define BOUGH_STUDY_FILES_YAML_READER_H

#include "study/files/study_file.h"

#include <yaml.h>

typedef struct reader {
    raw_study *raw;
    yaml_document_t *document;
    const char *file, *text;
    size_t size;
    char place[256];
    bough_error *error;
    bool setting; /* the text is that of a --set: one line */
} reader;

/* "file.yaml:12" for messages; overwritten by the next call. */
const char *reader_place(reader *r, unsigned line);
unsigned reader_line(const yaml_node_t *node);

/* Loads the only document of r->text; *loaded says whether *document is to be deleted. Errors: INVALID with
 * the line, and the advice to quote where a spec that YAML misunderstands is the likely cause. */
bough_status reader_load(reader *r, yaml_document_t *document, bool *loaded);

#endif
