import SignalObserver
import Testing
