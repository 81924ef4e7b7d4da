/// The links of a row that one relation has.
struct RowLinks {
  /// Those that the row's column has.
  var held: [UInt32] = []
  /// The words of ``SuspendedLinks``.
  var suspended: [UInt32] = []

  /// Adds a suspended link after all others.
  mutating func suspend(_ target: UInt32) { suspended += [UInt32(truncatingIfNeeded: held.count), target] }
}
