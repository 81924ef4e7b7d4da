import Foundation

/// A type of which every cell of its column is a value.
protocol AlwaysReadable {}

extension Int: AlwaysReadable {}
extension Int64: AlwaysReadable {}
extension Double: AlwaysReadable {}
extension Float: AlwaysReadable {}
extension Bool: AlwaysReadable {}
extension String: AlwaysReadable {}
extension Substring: AlwaysReadable {}
extension Date: AlwaysReadable {}
extension Data: AlwaysReadable {}
extension UUID: AlwaysReadable {}
extension Optional: AlwaysReadable where Wrapped: AlwaysReadable {}
extension Array: AlwaysReadable where Element: AlwaysReadable {}
