// What a spy has, and the answer to another name.

import SignalObserver
import SignalObserverTesting

func works(signal: SignalArg<Int>) {
  print(SignalSpy(signal).payloads)
}

#if WRONG
  func writesAnotherName(spy: SignalSpy<Int>) {
    // expected-error@+1 {{write payloads; or deliveries, which also say where}}
    print(spy.values)
    // expected-error@+1 {{write payloads.count}}
    print(spy.count)
    // expected-error@+1 {{write payloads.last}}
    if spy.last == 1 {}
    // expected-error@+1 {{write take(), which also returns the payloads}}
    spy.clear()
  }
#endif
