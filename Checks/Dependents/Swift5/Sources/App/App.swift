import Dispatch
import SignalObserver

/// Every row of the README's table, from code of the main actor.
@MainActor func connectAll(
  _ player: Player, _ log: Log, _ counter: Counter, _ view: ScoreView, _ statistics: Statistics,
  _ archive: Archive
) -> ObserverBag {
  let queue = DispatchQueue(label: "slots")
  let observers = ObserverBag()
  func keep(_ observer: SignalObserver) { observer.store(in: observers) }

  keep(player.scoreChanged.connect(log, Log.add))
  keep(player.goalScored.connect(log, Log.addGoal))
  keep(player.$title.connect(log, Log.addTitle))
  keep(player.albumChanged.connect(log, Log.addAlbum))
  keep(player.scoreChanged.connect(view, ScoreView.show))
  keep(player.started.connect(view, ScoreView.clear))
  keep(player.scoreChanged.connect(archive, Archive.write))
  keep(player.scoreChanged.connect(counter, Counter.upload))
  keep(player.scoreChanged.connect(view, ScoreView.load))
  keep(player.scoreChanged.connect(statistics, Statistics.save))
  keep(player.scoreChanged.connect(statistics) { statistics, score in statistics.add(score) })
  keep(player.scoreChanged.connect(counter, Counter.count, queue))
  keep(player.scoreChanged.connect(counter, Counter.count, .inline))
  keep(player.scoreChanged.connect { score in print("closure", score) })
  keep(player.scoreChanged.connect(view) { view, score in view.show(score) })
  keep(player.scoreChanged.connect(on: queue) { score in counter.count(score) })
  keep(player.scoreChanged.connect(on: .inline) { score in print("inline", score) })
  keep(player.scoreChanged.connect(counter, on: queue) { counter, score in counter.count(score) })
  keep(player.scoreChanged.connect { score in await statistics.save(score) })
  return observers
}

@main enum App {
  @MainActor static func main() {
    let (player, log, view) = (Player(), Log(), ScoreView())
    let (counter, statistics, archive) = (Counter(), Statistics(), Archive())
    let observers = connectAll(player, log, counter, view, statistics, archive)
    let observer = player.scoreChanged.connect(view, ScoreView.show)
    observer.suspend()
    observer.resume()
    observer.cancel()
    player.goal(3)
    print(log.lines.joined(separator: ", "), view.text)
    withExtendedLifetime((counter, statistics, archive)) { observers.cancelAll() }
  }
}
