/* Writes large files piece by piece: a text is filled and flushed. The file is replaced atomically at the end
 * (output.h), and compressed if its name ends in .gz. */
#ifndef BOUGH_BASE_FILES_OUTPUT_STREAM_H
#define BOUGH_BASE_FILES_OUTPUT_STREAM_H

#include "base/files/output.h"
#include "base/text/text.h"

typedef struct output_stream {
    bough_text text; /* to be written; append to it */
    bough_output out;
    const char *path;
    void *file; /* of zlib */
    bool device;
} output_stream;

/* path: borrowed. Errors: INVALID, NO_MEMORY. */
bough_status output_stream_begin(const char *path, output_stream *s, bough_error *error);
/* Writes the text if it is long; to be called after every few lines. Errors: IO, NO_MEMORY. */
bough_status output_stream_flush(output_stream *s, bough_error *error);
/* Ends the file; without success so far (status), removes it and returns that status. Call it once after a
 * begin that succeeded. */
bough_status output_stream_end(output_stream *s, bough_status status, bough_error *error);

#endif
