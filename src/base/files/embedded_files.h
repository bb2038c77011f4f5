/* Files in the binary: those below studies/. Written by cmake/embed.cmake. */
#ifndef BOUGH_BASE_FILES_EMBEDDED_FILES_H
#define BOUGH_BASE_FILES_EMBEDDED_FILES_H

struct bough_embedded {
    const char *name, *text;
};
/* Tables of what papers print, "dehon1991/table5.csv". Ends with a NULL name. */
extern const struct bough_embedded bough_embedded_tables[];

#endif
