// A download and those that follow it, with signals in place of delegates.

import Foundation
import SignalObserver

#if canImport(FoundationXML)
  import FoundationXML
#endif

// snippet.after
final class Download {
  @EmitterArg<Double> var progressed
  @EmitterVoid var finished

  func receive(_ fraction: Double) {
    _progressed.invoke(fraction)
    if fraction == 1 { _finished.invoke() }
  }
}

final class ProgressBar {
  private(set) var width = 0.0

  func follow(_ download: Download) {
    download.progressed.connect(self, ProgressBar.show)
    download.finished.connect(self, ProgressBar.hide)
  }

  func leave(_ download: Download) {
    download.progressed.cancelObservers(of: self)
    download.finished.cancelObservers(of: self)
  }

  private func show(_ fraction: Double) { width = fraction }
  private func hide() { width = 0 }
}
// snippet.end

// snippet.bridge
/// Turns the delegate of a framework into signals.
final class Feed: NSObject, XMLParserDelegate {
  @EmitterArg<String> var titleFound
  private var isInTitle = false

  func parse(_ document: Data) {
    let parser = XMLParser(data: document)
    parser.delegate = self
    _ = parser.parse()
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    isInTitle = name == "title"
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
    qualifiedName: String?
  ) {
    isInTitle = false
  }

  func parser(_ parser: XMLParser, foundCharacters characters: String) {
    if isInTitle { _titleFound.invoke(characters) }
  }
}
// snippet.end

let download = Download()
let bar = ProgressBar()
bar.follow(download)
download.receive(0.5)
precondition(bar.width == 0.5)

bar.leave(download)
download.receive(0.75)
precondition(bar.width == 0.5)

let feed = Feed()
feed.titleFound.connect { title in print(title) }
feed.parse(Data("<feed><title>Dune</title><id>1</id></feed>".utf8))
