/* Streams with a rate: messages that come at random times, for as long as somebody asks. */
#ifndef BOUGH_TRAFFIC_STREAMS_STREAM_H
#define BOUGH_TRAFFIC_STREAMS_STREAM_H

#include "bough/traffic.h"

/* A traffic that only says where the messages of a stream go; its kind has a pattern. */
bough_status pattern_create(const bough_net *net, const char *spec, bough_traffic **out, bough_error *error);

/* A source whose first message is the one with this id, and time begins there. */
bough_status stream_source(const bough_traffic *traffic, bough_key key, uint32_t first, bough_source **out,
                           bough_error *error);

/* What a stream's relload= asks for: a share of the saturation of a method. */
typedef struct stream_relload {
    double share; /* 0: the spec has no relload=, or is no stream */
    char *of;     /* the method's spec; heap */
} stream_relload;
/* Errors: INVALID where a spec with relload= says something else that is wrong. */
bough_status stream_relload_read(const char *spec, stream_relload *out, bough_error *error);
/* spec, which must have relload=, with load= in its place. Heap string. */
bough_status stream_relload_replace(const char *spec, double load, char **out, bough_error *error);

#endif
