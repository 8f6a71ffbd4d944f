let sample = Sample()

func expect(_ isTrue: Bool, _ line: Int = #line) {
  if !isTrue { fatalError("line \(line)") }
}

expect(sample.isSmall(2) && !sample.isSmall(3))
expect(!sample.isLarge(2) && sample.isLarge(3))
expect(sample.find("a") == "a!" && sample.find(nil) == nil)
sample.deliverAll()
expect(sample.isLockedInside())
expect(sample.unseen() == 5)
expect(sample.log == ["queue x"])
