import GQLBase
import GQLCatalog
import Testing

@testable import GQLBinder
@testable import GQLQuery

@Suite struct RawValueTests {
  /// Filters and orders in variables may be long.
  @Test func numbersAreLookedForAsLongAsSomebodyWaits() {
    let bad = RawValue.object([RawValue.Member(name: "x", value: .typed(.float(.nan)))])
    let raw = RawValue.list(Array(repeating: .integer("1"), count: 100_000) + [bad])
    var patient = InterruptionWatch(nil)
    #expect(raw.pathOfNoNumber(&patient) == [.index(100_000), .member("x")])
    var late = InterruptionWatch(Interruption(deadline: 1, milliseconds: 1, cancellation: nil))
    #expect(raw.pathOfNoNumber(&late) == nil && late.isDue)
  }
}
