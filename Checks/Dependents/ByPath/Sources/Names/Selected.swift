// A type of the program's own has the module's name.

import SignalObserver

final class SignalObserver {}

func own() -> SignalObserver { SignalObserver() }

#if compiler(>=6.3)
  func cancel(_ observer: SignalObserver::SignalObserver) { observer.cancel() }
#endif
