import SignalObserver

/// The right to announce what happens in a scan.
///
/// The finder shares it with its scans. Everyone else gets only the signals.
struct Announcements: Sendable {
  let progress = EmitterArg2<Int, Int>()
  let group = EmitterArg<DuplicateGroup>()
  let unreadable = EmitterArg<UnreadableFile>()
  let finished = EmitterArg<ScanResult>()
}
