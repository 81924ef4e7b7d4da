/// The places where a registry has references to an object.
struct ObjectPlaces {
  /// Rows of one object that are noted.
  static let mostRows = 16
  /// The rows in which it was found.
  var rows: [UInt32] = []
  /// Indicates whether it was noted that nothing was found of its entity.
  var isGone = false
}
