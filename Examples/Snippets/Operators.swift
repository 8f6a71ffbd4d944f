// Sources that are made of others.

import SignalObserver

final class Search {
  @EmitterValue var text = ""
  @EmitterValue var isEnabled = true
  @EmitterArg<Result<[String], any Error>> var found
}

final class Page: Sendable {
  func load(_ text: String) {}
  func show(_ lines: [String]) {}
  func update(_ text: String, _ isEnabled: Bool) {}
}

let search = Search()
let page = Page()

// snippet.chain
search.$text
  .filter { !$0.isEmpty }
  .removeDuplicates()
  .debounce(for: .milliseconds(300))
  .connect(page, Page.load)
search.found.compactMap { try? $0.get() }
  .map { $0.map { $0.uppercased() } }
  .connect(page, Page.show)
combineLatest(search.$text, search.$isEnabled).connect(page, Page.update)
// snippet.end

// snippet.own
import Synchronization

/// Sends every `n`th payload.
struct Every<Base: SignalSource>: SignalSource {
  let base: Base
  let n: Int

  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    let count = Count()  // made here, so that connections do not share it
    return base.attach(
      slot.compactAdapted { [n] in count.next() % n == 0 ? $0 : nil })
  }
}

final class Count: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

extension SignalSource {
  func every(_ n: Int) -> some SignalSource<Payload> { Every(base: self, n: n) }
}
// snippet.end

search.$text.every(2).connect(page, Page.load)

struct Request: Sendable {
  @TaskLocal static var trace = ""

  let id: String
}

struct Traced<Base: SignalSource<Request>>: SignalSource {
  let base: Base

  // snippet.task-local
  func attach(_ slot: SignalSlot<Request>) -> SignalObserver {
    base.attach(slot.running(with: Request.$trace) { $0.id })
  }
  // snippet.end
}

final class League {
  @EmitterArg<Int> var scored

  // snippet.bind
  func follow(_ team: Team) { team.scored.bind(to: _scored) }
  // snippet.end
}

// snippet.state
@MainActor final class Board {
  var limit = 100
  let high = EmitterArg<Int>()

  func follow(_ player: Player) {
    player.scoreChanged.connect(self) { me, score in
      if score > me.limit { me.high.invoke(score) }
    }
  }
}
// snippet.end

// What the documentation of the operators shows besides.

final class Player {
  @EmitterArg<Int> var scoreChanged
  @EmitterValue var title = ""

  func setScore(_ score: Int) { _scoreChanged.invoke(score) }
}

final class Label {
  func celebrate(_ score: Int) {}
  func show(_ text: String) {}
  func animate(from old: Int, to new: Int) {}
  func welcome(_ score: Int) {}
  func add(_ goals: Int) {}
  func showTotal(_ goals: Int) {}
  func list(_ goals: [Int]) {}
  func compare(_ goals: Int, _ others: Int) {}
}

final class Team {
  @EmitterArg<Int> var scored
}

final class Field {
  @EmitterValue var text = ""
}

final class Form {
  func check(texts: [String]) {}
}

final class Door {
  @EmitterVoid var opened
}

final class Lamp {
  func switchOn() {}
  func blink() {}
  func switchOff() {}
}

final class Download {
  @EmitterArg<Double> var progressed
  @EmitterVoid var finished
}

final class Bar {
  func show(_ fraction: Double) {}
}

final class Article {
  let title = "News"
}

final class Editor {
  @EmitterArg<Article> var opened
}

let player = Player()
let editor = Editor()
let label = Label()
let north = Team()
let south = Team()
let teams = [north, south]
let field = Field()
let fields = [field, Field()]
let form = Form()
let door = Door()
let lamp = Lamp()
let download = Download()
let bar = Bar()

// snippet.forms
player.scoreChanged.map { "\($0) points" }.connect(label, Label.show)
player.scoreChanged.filter { $0 > 100 }.connect(label, Label.celebrate)
field.$text.compactMap { Int($0) }.connect(player, Player.setScore)
player.$title.removeDuplicates().connect(label, Label.show)
player.scoreChanged.prefix(1).connect(label, Label.welcome)
player.scoreChanged.prefix { $0 < 10 }.connect(label, Label.add)
// Only the scores of the first minute.
player.scoreChanged.prefix(for: .seconds(60)).connect(label, Label.add)
player.$title.dropFirst().connect(label, Label.show)  // not the current title
player.scoreChanged.pairwise().connect(label, Label.animate(from:to:))
north.scored.scan(0) { $0 + $1 }.connect(label, Label.showTotal)
north.scored.reductions(into: [Int]()) { $0.append($1) }.connect(label, Label.list)
north.scored.zip(south.scored).connect(label, Label.compare)
ticks(every: .seconds(1)).connect(lamp, Lamp.blink)
merge(north.scored, south.scored).connect(label, Label.add)
merge(teams.map(\.scored)).connect(label, Label.add)
combineLatest(fields.map(\.$text)).connect(form, Form.check(texts:))
search.$text.debounce(for: .milliseconds(300)).connect(page, Page.load)
download.progressed.throttle(for: .milliseconds(100)).connect(bar, Bar.show)
door.opened.throttle(for: .seconds(30), latest: false).connect(lamp, Lamp.switchOn)
download.progressed.prefix(until: download.finished).connect(bar, Bar.show)
door.opened.delay(for: .seconds(30)).connect(lamp, Lamp.switchOff)
player.scoreChanged.collect(10).connect(label, Label.list)
player.scoreChanged.collect(100, for: .seconds(5)).connect(label, Label.list)
download.progressed.buffering(.newest(1)).connect(bar, Bar.show)
// snippet.end

final class Screen {
  @EmitterArg<[UInt8]> var drawn

  func draw() {
    // snippet.expensive
    if drawn.hasSlots { _drawn.invoke(pixels()) }
    // snippet.end
  }

  private func pixels() -> [UInt8] { [] }
}

// snippet.objects
let titles = EmitterArg<String>()
editor.opened.connect { titles.invoke($0.title) }
titles.signal.removeDuplicates().connect(label, Label.show)
// snippet.end
