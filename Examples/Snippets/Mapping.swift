// A transform between a signal and a method.

import Dispatch
import SignalObserver

struct Article: Sendable {
  let number: Int
  let title: String
}

final class Feed {
  @EmitterArg2<Int, Article> var loaded

  func load() { _loaded.invoke(89, Article(number: 999, title: "News")) }
}

final class Log {
  func write(_ title: String) { print(title) }
}

final class Page {
  func show(title: String) { print(title) }
  func show(page: Int, title: String) { print(page, title) }
}

let feed = Feed()
let page = Page()
let log = Log()
let queue = DispatchQueue(label: "log")

// snippet.map
feed.loaded.map(page, Page.show(title:), { _, article in article.title })
feed.loaded.map(page, Page.show(page:title:), { ($0, $1.title) })
// snippet.end

// snippet.queue
feed.loaded.map(log, Log.write, { _, article in article.title }, queue)
// snippet.end

// snippet.operator
/// Sends degrees Celsius for degrees Fahrenheit.
struct Celsius<Base: SignalSource<Double>>: SignalSource {
  let fahrenheit: Base

  func attach(_ slot: SignalSlot<Double>) -> SignalObserver {
    fahrenheit.attach(slot.adapted { ($0 - 32) / 1.8 })
  }
}
// snippet.end

let thermometer = EmitterArg<Double>()
Celsius(fahrenheit: thermometer.signal).connect { degrees in print(degrees) }
thermometer.invoke(212)  // 100.0

feed.load()
