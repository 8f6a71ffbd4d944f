// A download and those that follow it, first with a multicast delegate, then with signals.

import Foundation
import SignalObserver

#if canImport(FoundationXML)
  import FoundationXML
#endif

enum Before {
  // snippet.before
  protocol DownloadDelegate: AnyObject {
    func download(_ download: Download, didReceive fraction: Double)
    func downloadDidFinish(_ download: Download)
  }

  final class Download {
    private struct Entry { weak var delegate: (any DownloadDelegate)? }
    private var entries: [Entry] = []

    func add(_ delegate: any DownloadDelegate) {
      entries.append(Entry(delegate: delegate))
    }

    func remove(_ delegate: any DownloadDelegate) {
      entries.removeAll { $0.delegate == nil || $0.delegate === delegate }
    }

    func receive(_ fraction: Double) {
      for entry in entries {
        entry.delegate?.download(self, didReceive: fraction)
      }
      guard fraction == 1 else { return }
      for entry in entries { entry.delegate?.downloadDidFinish(self) }
    }
  }

  final class ProgressBar: DownloadDelegate {
    private(set) var width = 0.0

    func follow(_ download: Download) { download.add(self) }
    func leave(_ download: Download) { download.remove(self) }

    func download(_ download: Download, didReceive fraction: Double) {
      width = fraction
    }

    func downloadDidFinish(_ download: Download) { width = 0 }
  }
  // snippet.end
}

enum After {
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
}

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

let oldDownload = Before.Download()
let oldBar = Before.ProgressBar()
oldBar.follow(oldDownload)
oldDownload.receive(0.5)

let newDownload = After.Download()
let newBar = After.ProgressBar()
newBar.follow(newDownload)
newDownload.receive(0.5)
precondition(oldBar.width == 0.5 && newBar.width == 0.5)

oldBar.leave(oldDownload)
newBar.leave(newDownload)
oldDownload.receive(0.75)
newDownload.receive(0.75)
precondition(oldBar.width == 0.5 && newBar.width == 0.5)

let feed = Feed()
feed.titleFound.connect { title in print(title) }
feed.parse(Data("<feed><title>Dune</title><id>1</id></feed>".utf8))
