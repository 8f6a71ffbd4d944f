import Foundation
import Testing
import UIKit

@testable import Snippets
@testable import SignalObserverUI

/// The screens of the article.
@MainActor @Suite struct ArticleTests {
  @Test func `the editor shows the title, saves, and ends with its screen`() {
    var controller: EditorController? = EditorController()
    weak let weakController = controller
    controller?.loadViewIfNeeded()
    let labels = controller?.view.subviews.compactMap { $0 as? UILabel } ?? []
    let field = controller?.view.subviews.compactMap { $0 as? UITextField }.first
    #expect(labels.map(\.text) == ["Untitled", nil])
    field?.text = "Notes"
    field?.sendActions(for: .editingChanged)
    controller?.navigationItem.rightBarButtonItem?.tap()
    #expect(labels.map(\.text) == ["Notes", "Saved"])
    labels[1].text = nil
    NotificationCenter.default.post(
      name: UIApplication.didEnterBackgroundNotification, object: nil)
    #expect(labels[1].text == "Saved")
    controller = nil

    #expect(weakController == nil)
  }

  @Test func `the shelf ends with its screen`() {
    var controller: ShelfController? = ShelfController()
    weak let weakController = controller
    controller?.loadViewIfNeeded()
    #expect(controller?.collectionView.shownCells.isEmpty == true)
    controller = nil

    #expect(weakController == nil)
  }
}
