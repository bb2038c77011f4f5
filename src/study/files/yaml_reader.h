/* State of reading a study file: the text, its document, and the error. */
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
    bool setting; /* the text is the value of --set: one line */
} reader;

/* "file.yaml:12" for messages; overwritten by the next call. */
const char *reader_place(reader *r, unsigned line);
unsigned reader_line(const yaml_node_t *node);

/* Loads the only document of r->text; *loaded: *document must be deleted. Errors: INVALID with the line, and
 * advice to quote if an unquoted spec is the likely cause. */
bough_status reader_load(reader *r, yaml_document_t *document, bool *loaded);

#endif
