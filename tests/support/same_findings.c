#include "support/same_findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

void same_findings(const bough_findings *a, const bough_findings *b) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_string_equal(a->item[i].where, b->item[i].where);
        assert_string_equal(a->item[i].text, b->item[i].text);
    }
}
