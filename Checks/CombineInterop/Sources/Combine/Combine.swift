// Gives OpenCombine the name of the module that it implements, so that what is written for Combine
// compiles and runs where there is none.

@_exported import OpenCombine
