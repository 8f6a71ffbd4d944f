import Foundation

func exit() -> Never { Foundation.exit(0) }
