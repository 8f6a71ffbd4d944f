#include "CxxPeers.h"

// Qt's keywords are names in the other libraries.
#define QT_NO_KEYWORDS
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-literal-operator"
#include <QObject>
#include <QSignalMapper>
#pragma clang diagnostic pop
#include <atomic>
#include <boost/signals2.hpp>
#include <memory>
#include <sigc++/sigc++.h>
#include <vector>

namespace {

/// What every slot calls; the same work as in Swift.
struct Counter : QObject, sigc::trackable {
  std::atomic<long> sum{0};

  __attribute__((noinline)) void add(long number) {
    sum.store(sum.load(std::memory_order_relaxed) + number, std::memory_order_relaxed);
  }
};

using Target = std::shared_ptr<Counter>;

struct BoostSignal {
  using Signal = boost::signals2::signal<void(long)>;
  using Connection = boost::signals2::connection;
  Signal signal;

  void emit(long number) { signal(number); }
};

struct BoostLambda : BoostSignal {
  Connection connect(const Target &target) {
    Counter *counter = target.get();
    return signal.connect([counter](long number) { counter->add(number); });
  }
};

struct BoostTracked : BoostSignal {
  Connection connect(const Target &target) {
    Counter *counter = target.get();
    return signal.connect(
        Signal::slot_type([counter](long number) { counter->add(number); }).track_foreign(target));
  }
};

struct SigcSignal {
  using Connection = sigc::connection;
  sigc::signal<void, long> signal;

  void emit(long number) { signal.emit(number); }
};

struct SigcLambda : SigcSignal {
  Connection connect(const Target &target) {
    Counter *counter = target.get();
    return signal.connect([counter](long number) { counter->add(number); });
  }
};

struct SigcTrackable : SigcSignal {
  Connection connect(const Target &target) {
    return signal.connect(sigc::mem_fun(*target, &Counter::add));
  }
};

struct QtConnection {
  QMetaObject::Connection connection;

  void disconnect() { QObject::disconnect(connection); }
};

/// A class of Qt that has a signal with a number, so that the benchmarks need no code from moc.
struct QtSignal {
  using Connection = QtConnection;
  QSignalMapper sender;

  void emit(long number) { sender.mappedInt(static_cast<int>(number)); }
};

struct QtLambda : QtSignal {
  Connection connect(const Target &target) {
    Counter *counter = target.get();
    return {QObject::connect(
        &sender, &QSignalMapper::mappedInt, [counter](int number) { counter->add(number); })};
  }
};

struct QtMethod : QtSignal {
  Connection connect(const Target &target) {
    return {QObject::connect(
        &sender, &QSignalMapper::mappedInt, target.get(), &Counter::add, Qt::DirectConnection)};
  }
};

}  // namespace

struct cxx_subject {
  /// Made before they are connected, as in Swift, so that making them is not measured.
  std::vector<Target> targets;

  cxx_subject() {
    for (int index = 0; index < 1001; index++) targets.push_back(std::make_shared<Counter>());
  }

  virtual ~cxx_subject() = default;
  virtual void connect(long count) = 0;
  virtual void emit(long times) = 0;
  virtual void cancel(const long *order, long count) = 0;
  virtual void churn(long times) = 0;
};

namespace {

template <class Peer>
struct Subject final : cxx_subject {
  std::vector<typename Peer::Connection> connections;
  Peer peer;
  Target extra = std::make_shared<Counter>();

  void connect(long count) override {
    for (long index = 0; index < count; index++) {
      connections.push_back(peer.connect(targets.at(connections.size())));
    }
  }

  void emit(long times) override {
    for (long index = 0; index < times; index++) peer.emit(1);
  }

  void cancel(const long *order, long count) override {
    for (long index = 0; index < count; index++) connections[order[index]].disconnect();
  }

  void churn(long times) override {
    for (long index = 0; index < times; index++) peer.connect(extra).disconnect();
  }
};

template <class Peer>
void construct(long times) {
  for (long index = 0; index < times; index++) {
    Peer peer;
    // Neither may be left out by the optimiser.
    asm volatile("" : : "r"(&peer) : "memory");
  }
}

}  // namespace

cxx_subject *cxx_make(cxx_kind kind) {
  switch (kind) {
    case cxx_boost_lambda: return new Subject<BoostLambda>;
    case cxx_boost_tracked: return new Subject<BoostTracked>;
    case cxx_sigc_lambda: return new Subject<SigcLambda>;
    case cxx_sigc_trackable: return new Subject<SigcTrackable>;
    case cxx_qt_lambda: return new Subject<QtLambda>;
    case cxx_qt_method: return new Subject<QtMethod>;
  }
  return nullptr;
}

void cxx_construct(cxx_kind kind, long times) {
  switch (kind) {
    case cxx_boost_lambda: return construct<BoostLambda>(times);
    case cxx_boost_tracked: return construct<BoostTracked>(times);
    case cxx_sigc_lambda: return construct<SigcLambda>(times);
    case cxx_sigc_trackable: return construct<SigcTrackable>(times);
    case cxx_qt_lambda: return construct<QtLambda>(times);
    case cxx_qt_method: return construct<QtMethod>(times);
  }
}

void cxx_destroy(cxx_subject *subject) { delete subject; }
void cxx_connect(cxx_subject *subject, long count) { subject->connect(count); }
void cxx_emit(cxx_subject *subject, long times) { subject->emit(times); }
void cxx_cancel(cxx_subject *subject, const long *order, long count) { subject->cancel(order, count); }
void cxx_churn(cxx_subject *subject, long times) { subject->churn(times); }
long cxx_total(const cxx_subject *subject, long index) { return subject->targets[index]->sum; }
