import Dispatch
import DuplicateFinder

openStandardDescriptors()
let program = launch(CommandLine.paths)
// Runs the main queue, where the slots of the main actor wait, until one of them exits.
dispatchMain()
