/// Prints the totals.
@MainActor
final class TotalsLine {
  private let output: Output

  init(_ output: Output) {
    self.output = output
  }

  func show(_ totals: Totals) {
    output.write("\(totals)\n")
  }
}
