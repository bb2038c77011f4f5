/* Any bytes as the CSV of `data`. */
#include "fuzz/value_table.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    return fuzz_value_table("shift:k=2,m=5", "fuzz.csv", data, size);
}
