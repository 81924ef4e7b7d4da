import GQLBase
import GQLLexer
import GQLParser
import Synchronization
import Testing

/// Reading counts what it makes, and looks whether it is to end: the tokens by themselves, and the nodes behind them.
@Suite struct ReadingLimitsTests {
  private static let count = 40_000
  private let source = SourceText(
    name: "q", bytes: Array(("{ " + String(repeating: "a ", count: Self.count) + "}").utf8))

  private func interruption(_ memory: PreparationMemory? = nil, _ cancellation: Cancellation? = nil) -> Interruption {
    Interruption(deadline: .max, milliseconds: 0, cancellation: cancellation, memory: memory)
  }

  @Test func tokensCount() {
    let memory = PreparationMemory(limit: .max)
    var limits = LexerLimits()
    limits.interruption = interruption(memory)
    #expect(tokenize(source, limits: limits).diagnostics.isEmpty)
    // Each few thousand tokens are counted together, so that the last ones may be missing.
    #expect(memory.taken >= (Self.count - 4_096) * LexerLimits.tokenBytes)
  }

  @Test func nodesCount() {
    let memory = PreparationMemory(limit: .max)
    var limits = ParserLimits()
    limits.lexer.interruption = interruption(memory)
    #expect(parse(source, limits: limits).diagnostics.isEmpty)
    #expect(memory.taken >= (Self.count - 4_096) * (LexerLimits.tokenBytes + ParserLimits.bytesOfToken))
  }

  @Test func tokensAreCancelled() {
    var limits = LexerLimits()
    limits.interruption = interruption(nil, Cancellation { true })
    #expect(tokenize(source, limits: limits).diagnostics.map(\.code) == [DiagnosticCode("cancelled")])
  }

  @Test func nodesAreCancelled() {
    let looks = Mutex(0)
    var lexer = LexerLimits()
    lexer.interruption = interruption(
      nil,
      Cancellation {
        looks.withLock { $0 += 1 }
        return false
      })
    #expect(tokenize(source, limits: lexer).diagnostics.isEmpty)
    // The next look after those of the tokens is the parser's.
    let left = Mutex(looks.withLock { $0 })
    var limits = ParserLimits()
    limits.lexer.interruption = interruption(
      nil,
      Cancellation {
        left.withLock {
          $0 -= 1
          return $0 < 0
        }
      })
    #expect(parse(source, limits: limits).diagnostics.map(\.code).contains(DiagnosticCode("cancelled")))
  }

  @Test func problemsOfTokensAreBounded() {
    let wrong = SourceText(name: "q", bytes: Array(repeating: 0x01, count: 300))
    for most in [1, 7, 100] {
      #expect(tokenize(wrong, limits: LexerLimits(diagnostics: most)).diagnostics.count == most)
    }
  }
}
