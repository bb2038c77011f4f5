/* The counters of a port of InfiniBand. */
#ifndef BOUGH_FORMATS_COUNTERS_PORT_COUNTERS_H
#define BOUGH_FORMATS_COUNTERS_PORT_COUNTERS_H

/* X(NAME, name in InfiniBand, bits of the counter in PortCounters, which stops at its
 * maximum; the extended counters have 64). */
#define BOUGH_COUNTER_MAP(X)                                                                                 \
    X(XMIT_DATA, "PortXmitData", 32)                                                                         \
    X(RCV_DATA, "PortRcvData", 32)                                                                           \
    X(XMIT_WAIT, "PortXmitWait", 32)                                                                         \
    X(SYMBOL_ERRORS, "SymbolErrorCounter", 16)                                                               \
    X(LINK_ERROR_RECOVERY, "LinkErrorRecoveryCounter", 8)                                                    \
    X(LINK_DOWNED, "LinkDownedCounter", 8)                                                                   \
    X(RCV_ERRORS, "PortRcvErrors", 16)                                                                       \
    X(RCV_REMOTE_PHYSICAL, "PortRcvRemotePhysicalErrors", 16)                                                \
    X(RCV_SWITCH_RELAY, "PortRcvSwitchRelayErrors", 16)                                                      \
    X(XMIT_DISCARDS, "PortXmitDiscards", 16)                                                                 \
    X(XMIT_CONSTRAINT, "PortXmitConstraintErrors", 8)                                                        \
    X(RCV_CONSTRAINT, "PortRcvConstraintErrors", 8)                                                          \
    X(LOCAL_INTEGRITY, "LocalLinkIntegrityErrors", 4)                                                        \
    X(BUFFER_OVERRUN, "ExcessiveBufferOverrunErrors", 4)                                                     \
    X(VL15_DROPPED, "VL15Dropped", 16)                                                                       \
    X(QP1_DROPPED, "QP1Dropped", 16)

typedef enum bough_counter {
#define X(id, name, bits) BOUGH_COUNTER_##id,
    BOUGH_COUNTER_MAP(X)
#undef X
        BOUGH_COUNTERS
} bough_counter;
#define BOUGH_COUNTER_FIRST_ERROR BOUGH_COUNTER_SYMBOL_ERRORS
const char *bough_counter_name(bough_counter counter); /* "PortXmitData", static */

#endif
