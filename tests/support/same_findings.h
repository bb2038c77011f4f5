#ifndef TESTS_SUPPORT_SAME_FINDINGS_H
#define TESTS_SUPPORT_SAME_FINDINGS_H

#include "formats/fabrics/fabric.h"

/* Both have the same findings at the same places, in this order. A test fails if not. */
void same_findings(const bough_findings *a, const bough_findings *b);

#endif
