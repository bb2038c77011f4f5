/* Readers of recorded programs. All of them fill a recording that is zero-initialised; on error the caller
 * frees what it has so far. Errors: INVALID with the file and the line or record; TOO_LARGE, NO_MEMORY. */
#ifndef BOUGH_FORMATS_TRACES_RECORDED_READERS_H
#define BOUGH_FORMATS_TRACES_RECORDED_READERS_H

#include "base/files/input.h"
#include "formats/traces/recording.h"

/* The pieces in the order of ranks: the last number in the name of a piece is its rank. The caller frees
 * *of_rank, also on error. Errors: INVALID for names that are not those of 0 .. count - 1. */
bough_status recorded_files(const bough_input *input, const bough_input_piece ***of_rank, bough_error *error);

/* MPI traces of liballprof, one piece a rank. */
bough_status mpi_trace_read(const bough_input *input, recording *r, bough_error *error);
/* Whether this is the beginning of such a trace. */
bool mpi_trace_is(const char *data, size_t size);

/* Chakra execution traces in protobuf or JSON form, one piece a rank, or one piece for all ranks: `given` of
 * them; 0: as many as its process groups name. Finds their number. */
bough_status chakra_count(const bough_input *input, uint32_t given, uint32_t *ranks, bough_error *error);
/* ranks: as counted. groups: process groups as JSON; NULL: none. */
bough_status chakra_read(const bough_input *input, uint32_t ranks, const bough_input *groups, recording *r,
                         bough_error *error);
bool chakra_is(const char *data, size_t size);

/* An OTF2 trace of an MPI program: its anchor file. Errors: UNSUPPORTED without the library. */
bough_status otf2_read(const char *path, recording *r, bough_error *error);

#endif
