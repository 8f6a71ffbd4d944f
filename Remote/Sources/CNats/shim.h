#include <stdbool.h>

#include <nats/nats.h>

#if NATS_VERSION_NUMBER < 0x030401
#error "SignalObserverNATS needs libnats 3.4.1 or newer"
#endif

// Whether the server of a connection has a version, or a newer one. libnats has no public function
// that says so, and this one is for its own use. If a later libnats keeps it to itself, it is null.
// On Apple's platforms that is so only if the library is replaced after the build: without the
// function, the program does not link there.
#ifdef __APPLE__
__attribute__((weak_import))
#else
__attribute__((weak))
#endif
bool natsConn_srvVersionAtLeast(natsConnection *connection, int major, int minor, int update);

static inline bool signalobserver_isOlder(natsConnection *connection, int major, int minor) {
    return natsConn_srvVersionAtLeast && !natsConn_srvVersionAtLeast(connection, major, minor, 0);
}
