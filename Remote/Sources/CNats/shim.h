#include <nats/nats.h>

#if NATS_VERSION_NUMBER < 0x030401
#error "SignalObserverNATS needs libnats 3.4.1 or newer"
#endif
