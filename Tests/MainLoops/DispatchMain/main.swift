import Dispatch
import MainLoopScenario

MainLoopScenario.begin()
DispatchQueue.main.async { MainLoopScenario.proceed() }
dispatchMain()
