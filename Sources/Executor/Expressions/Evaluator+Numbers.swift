#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// `abs round floor ceil sqrt pow div`.
extension Evaluator {
  func absolute(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard strict(node, out, kinds: out.kind) else { return }
    let a = vector(argument(node, 0))
    switch out.kind {
    case .word:
      for index in 0..<count where out.validity[index] == 1 {
        let value = a.words[index]
        if value == .min {
          throw problem(.overflow(type(argument(node, 0)).scalar ?? .int), node, at: index, arguments(node))
        }
        out.words[index] = abs(value)
      }
    case .double: for index in 0..<count { out.doubles[index] = abs(a.doubles[index]) }
    case .wide:
      for index in 0..<count where out.validity[index] == 1 {
        out.cells[index] = Cell(a.cells[index].decimal.magnitude)
      }
    case .truth, .rows: setNull(out)
    }
  }

  /// Ints as GraphQL has them.
  func graphQLInt(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard strict(node, out, kinds: out.kind) else { return }
    let a = vector(argument(node, 0))
    for index in 0..<count where out.validity[index] == 1 {
      if out.kind == .word {
        guard Int32(exactly: a.words[index]) != nil else {
          throw problem(.wideInt, node, at: index, arguments(node))
        }
        out.words[index] = a.words[index]
      } else {
        let run = ListRun(a.cells[index], .int)
        for place in 0..<run.count where !run.isNull(place) {
          guard Int32(exactly: run.cell(place).int) != nil else {
            throw problem(.wideInt, node, at: index, arguments(node))
          }
        }
        out.cells[index] = a.cells[index]
      }
    }
  }

  /// `round floor ceil`.
  func rounded(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let first = argument(node, 0)
    let type = type(first)
    let a = vector(first)
    if node.operandCount == 2 {
      guard strict(node, out, kinds: out.kind, .word), a.kind == out.kind else { return setNull(out) }
      let places = vector(argument(node, 1))
      for index in 0..<count where out.validity[index] == 1 {
        try store(rounded(a.cell(index), type, to: places.words[index], node, at: index), out, index)
      }
      return
    }
    guard strict(node, out, kinds: Vector.Kind(type)) else { return }
    for index in 0..<count where out.validity[index] == 1 {
      let result: Int64?
      switch type.scalar {
      case .int?: result = a.words[index]
      case .float?:
        let value = a.doubles[index]
        switch node.function {
        case .floor: result = Int64(exactly: value.rounded(.down))
        case .ceil: result = Int64(exactly: value.rounded(.up))
        default: result = Int64(exactly: value.rounded(.toNearestOrAwayFromZero))
        }
      case .decimal?:
        let value = a.cells[index].decimal
        switch node.function {
        case .floor: result = value.floor?.int64Value
        case .ceil: result = value.ceiling?.int64Value
        default: result = value.rounded(to: 0)?.int64Value
        }
      default: result = nil
      }
      guard let result else { throw problem(.overflow(.int), node, at: index, arguments(node)) }
      out.words[index] = result
    }
  }

  private func rounded(
    _ cell: Cell, _ type: ValueType, to places: Int64, _ node: Node, at position: Int
  ) throws(RuntimeProblem) -> Cell {
    guard (-36...36).contains(places) else {
      throw problem(.roundingPlaces(limit: 36), node, at: position, arguments(node))
    }
    guard let result = cell.rounded(type, to: Int(places)) else {
      throw problem(.overflow(type.scalar ?? .decimal), node, at: position, arguments(node))
    }
    return result
  }

  /// `sqrt pow`.
  func power(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard strict(node, out, kinds: .double) else { return }
    let a = vector(argument(node, 0))
    let b = node.function == .pow ? vector(argument(node, 1)) : a
    for index in 0..<count where out.validity[index] == 1 {
      let base = a.doubles[index]
      let result = node.function == .pow ? pow(base, b.doubles[index]) : base.squareRoot()
      if result.isNaN { throw problem(.outOfDomain, node, at: index, arguments(node)) }
      if result.isInfinite {
        throw problem(base == 0 ? .divisionByZero : .overflow(.float), node, at: index, arguments(node))
      }
      // Zeros of both signs are one value.
      out.doubles[index] = result == 0 ? 0 : result
    }
  }

  /// `div`: towards zero.
  func quotient(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard strict(node, out, kinds: out.kind) else { return }
    let a = vector(argument(node, 0))
    let b = vector(argument(node, 1))
    for index in 0..<count where out.validity[index] == 1 {
      switch out.kind {
      case .word:
        let (left, right) = (a.words[index], b.words[index])
        if right == 0 { throw problem(.divisionByZero, node, at: index, arguments(node)) }
        let (result, overflow) = left.dividedReportingOverflow(by: right)
        if overflow { throw problem(.overflow(.int), node, at: index, arguments(node)) }
        out.words[index] = result
      case .double:
        let (left, right) = (a.doubles[index], b.doubles[index])
        if right == 0 { throw problem(.divisionByZero, node, at: index, arguments(node)) }
        // Taking the remainder off first, because a quotient just below a whole number may round up to it.
        let whole = (left - left.truncatingRemainder(dividingBy: right)) / right
        guard whole.isFinite else { throw problem(.overflow(.float), node, at: index, arguments(node)) }
        let result = whole.rounded()
        out.doubles[index] = result == 0 ? 0 : result
      default:
        let (left, right) = (a.cells[index].decimal, b.cells[index].decimal)
        if right.isZero { throw problem(.divisionByZero, node, at: index, arguments(node)) }
        guard let result = left.truncatingQuotient(dividingBy: right) else {
          throw problem(.overflow(.decimal), node, at: index, arguments(node))
        }
        out.cells[index] = Cell(result)
      }
    }
  }
}

extension Cell {
  /// Returns the number of a type rounded to so many places; nil if that is no number of the type.
  fileprivate func rounded(_ type: ValueType, to places: Int) -> Cell? {
    switch type.scalar {
    case .int?: return int.rounded(to: places).map { Cell($0) }
    case .float?:
      let result = double.roundedExactly(to: places)
      return result.isFinite ? Cell(result) : nil
    default: return decimal.rounded(to: places).map { Cell($0) }
    }
  }
}
