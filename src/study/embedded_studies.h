/* Studies in the binary: the files below studies/, by path without .yaml. Written by cmake/embed.cmake. */
#ifndef BOUGH_STUDY_EMBEDDED_STUDIES_H
#define BOUGH_STUDY_EMBEDDED_STUDIES_H

#include "base/files/embedded_files.h"

extern const struct bough_embedded bough_embedded_studies[]; /* ends with a NULL name */

#endif
