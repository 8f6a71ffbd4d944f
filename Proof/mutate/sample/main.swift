let sample = Sample()

func expect(_ isTrue: Bool, _ line: Int = #line) {
  if !isTrue { fatalError("line \(line)") }
}

sample.meet(Friend())
expect(!sample.hasFriend)
expect(!sample.seek(Friend())())
sample.noteBoth()
sample.work()
expect(sample.isSmall(2) && !sample.isSmall(3))
expect(sample.size(0) == "none" && sample.size(1) == "some")
expect(sample.count([1, 2]) == 3)
expect(sample.find("a") == "a!" && sample.find(nil) == nil)
sample.deliverAll()
sample.lockAndNote()
expect(sample.isOther())
expect(sample.unseen() == 5)
expect(sample.log == ["a", "b", "work", "closed", "queue x", "free", "true"])
