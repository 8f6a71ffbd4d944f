// A program's own types, with names that Combine and the library have, too.

import Foundation

struct Signal: Equatable { var strength = 0 }

protocol Publisher {}
protocol Cancellable { func cancel() }
final class AnyCancellable: Cancellable, Sendable { func cancel() {} }
final class Subject<Output>: Publisher {}
func merge(_ left: [Int], _ right: [Int]) -> [Int] { left + right }

extension Notification.Name { static let signal = Notification.Name("signal") }
