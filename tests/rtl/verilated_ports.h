// Ports of a Verilated model, and what flits carry; for the benches here.
#ifndef TESTS_RTL_VERILATED_PORTS_H
#define TESTS_RTL_VERILATED_PORTS_H

#include <cstddef>
#include <cstdint>
#include <cstring>

// Ports of Verilator are little-endian words of several sizes.
template <class port> uint64_t get(const port &p, size_t first, unsigned bits) {
    uint64_t value = 0;
    const uint8_t *byte = reinterpret_cast<const uint8_t *>(&p);
    for (unsigned i = 0; i < bits; i++) value |= uint64_t(byte[(first + i) / 8] >> (first + i) % 8 & 1) << i;
    return value;
}

template <class port> void set(port &p, size_t first, unsigned bits, uint64_t value) {
    uint8_t *byte = reinterpret_cast<uint8_t *>(&p);
    for (unsigned i = 0; i < bits; i++) {
        uint8_t one = uint8_t(1 << (first + i) % 8);
        if (value >> i & 1)
            byte[(first + i) / 8] |= one;
        else
            byte[(first + i) / 8] &= uint8_t(~one);
    }
}

template <class port> void clear(port &p) {
    memset(&p, 0, sizeof p);
}

// What flit number `flit` of the message from `source` carries.
inline uint64_t flit_of(uint32_t source, uint64_t flit, unsigned width) {
    uint64_t mixed = (source * UINT64_C(0x9e3779b97f4a7c15)) ^ (flit * UINT64_C(0xc2b2ae3d27d4eb4f));
    return (mixed ^ mixed >> 29) & ((UINT64_C(1) << width) - 1);
}

#endif
