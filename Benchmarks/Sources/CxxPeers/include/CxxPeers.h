#ifndef CXX_PEERS_H
#define CXX_PEERS_H

#ifdef __cplusplus
extern "C" {
#endif

/// What a slot of a C++ peer is.
enum cxx_kind {
  cxx_boost_lambda,
  cxx_boost_tracked,
  cxx_sigc_lambda,
  cxx_sigc_trackable,
  cxx_qt_lambda,
  cxx_qt_method,
};

/// A signal and its targets, up to 1001. Each function is a loop, so that calling it from Swift costs nothing that is measured.
struct cxx_subject;

struct cxx_subject *cxx_make(enum cxx_kind kind);
void cxx_destroy(struct cxx_subject *subject);
void cxx_connect(struct cxx_subject *subject, long count);
void cxx_emit(struct cxx_subject *subject, long times);
void cxx_cancel(struct cxx_subject *subject, const long *order, long count);
void cxx_churn(struct cxx_subject *subject, long times);
void cxx_construct(enum cxx_kind kind, long times);
/// The sum of what the slot at `index` was called with.
long cxx_total(const struct cxx_subject *subject, long index);

#ifdef __cplusplus
}
#endif

#endif
