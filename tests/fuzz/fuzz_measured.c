/* Any bytes as the output of nccl-tests. */
#include "fuzz/value_table.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    return fuzz_value_table("allreduce:nccl-ring,ranks=2,size=2048", "fuzz.txt", data, size);
}
