// Two libraries have a `Signal`. The import of one by its name decides, in every compiler.

import Other
import SignalObserver

import class SignalObserver.Signal

func count(_ signal: Signal<Int>) -> Int { signal.slotCount }
func other() -> Other.Signal<Int> { Other.Signal() }
