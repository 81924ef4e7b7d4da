import Foundation
import GQLBase
import GQLCatalog
import GQLParser
import Testing

/// The deepest expression that the limits allow must not overflow a thread's stack, even without optimisation.
@Suite struct BindingStackTests {
  @Test func deepestExpressionFitsFourMegabytes() {
    var text = "age == 1"
    for _ in 0..<180 { text = "not (\(text))" }
    let query = "{ User(where: \(text)) { id } }"
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      #expect(BindingFixture.codes(query) == [])
      done.signal()
    }
    thread.stackSize = 4 << 20
    thread.start()
    done.wait()
  }
}
