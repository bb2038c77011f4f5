/* Streams with a rate: messages at random times, without an end. */
#ifndef BOUGH_TRAFFIC_STREAMS_STREAM_H
#define BOUGH_TRAFFIC_STREAMS_STREAM_H

#include "traffic/traffic.h"

/* Creates traffic that only provides the destinations of a stream; its kind has a pattern. */
bough_status pattern_create(const bough_net *net, const char *spec, bough_traffic **out, bough_error *error);

/* The first message that a source has, at time 0, and its clock. */
typedef struct stream_start {
    uint32_t first;
    const bough_clock *clock; /* NULL: cycles */
} stream_start;
bough_status stream_source(const bough_traffic *traffic, bough_key key, const stream_start *start,
                           bough_source **out, bough_error *error);
/* The number of endpoints that send; one that is slower than the fastest counts as a part of one. */
bough_status stream_count_senders(const bough_traffic *traffic, bough_key key, const bough_clock *clock,
                                  double *senders, bough_error *error);

/* The relload= of a stream: a fraction of the saturation of a method. */
typedef struct stream_relload {
    double share; /* 0: the spec has no relload=, or is not a stream */
    char *of;     /* spec of the method; heap */
} stream_relload;
/* Errors: INVALID if a spec with relload= has other errors. */
bough_status stream_relload_read(const char *spec, stream_relload *out, bough_error *error);
/* Replaces relload= of spec by load=. The caller frees the string. */
bough_status stream_relload_replace(const char *spec, double load, char **out, bough_error *error);

#endif
