import Dispatch
import Foundation
import MainLoopScenario

MainLoopScenario.begin()
DispatchQueue.main.async { MainLoopScenario.proceed() }
RunLoop.main.run()
