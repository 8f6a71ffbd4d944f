/// What a run of the program leaves behind.
struct Outcome: Error, Equatable {
  var code: Int32
  var output = ""
  var errors = ""
}
