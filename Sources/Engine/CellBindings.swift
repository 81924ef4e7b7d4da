import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore

/// How the variables of an operation become cells at once, without values between.
final class CellBindings: Sendable {
  private let parameters: [CellBinding]
  /// Their names, and the bits of these.
  private let names: [String]
  private let words: [SIMD2<UInt64>]
  /// The values of those that are of enums.
  private let enumerations: [[String]]
  /// How many are variables.
  private let shown: Int
  /// Indicates whether a parameter is a list.
  let hasLists: Bool
  /// The largest number of parameters whose names are compared rather than hashed.
  private static let mostCompared = 16

  /// Nil where a parameter needs a closer look.
  init?(_ parameters: [BoundParameter], _ catalog: Catalog) {
    let bindings = parameters.compactMap { CellBinding($0) }
    guard bindings.count == parameters.count else { return nil }
    self.parameters = bindings
    names = parameters.map(\.name)
    words = names.map(Self.word)
    guard Set(names).count == names.count else { return nil }
    enumerations = parameters.map { parameter in
      var type = parameter.signature.type
      if case .list(let element) = type { type = element }
      return if case .enumeration(let id) = type { catalog[id].values } else { [] }
    }
    shown = bindings.reduce(0) { $0 + ($1.isNow ? 0 : 1) }
    hasLists = bindings.contains(where: \.isList)
  }

  var count: Int { parameters.count }

  /// Gives the parameters of one run their cells. Returns false where a variable needs a closer look, or is wrong, which
  /// the binder then says.
  ///
  /// - Parameter scratch: Memory for what the cells point to.
  @inline(__always)
  func bind(
    _ variables: [String: Value], to run: some ParameterHolder, _ scratch: ScratchArena, now: @autoclosure () -> Int64
  ) -> Bool {
    guard variables.count <= shown else { return false }
    if parameters.count == 1, shown == 1, variables.count == 1 {
      let (name, value) = variables[variables.startIndex]
      return name == names[0] && parameters[0].bind(value, 0, run, scratch, names: enumerations[0])
    }
    if parameters.count > Self.mostCompared { return bindHashed(variables, to: run, scratch, now: now()) }
    // The places that are given, as bits.
    var given: UInt32 = 0
    for (name, value) in variables {
      guard let index = place(of: name), !parameters[index].isNow,
        parameters[index].bind(value, index, run, scratch, names: enumerations[index])
      else { return false }
      given |= 1 << UInt32(truncatingIfNeeded: index)
    }
    for index in 0..<parameters.count where given & 1 << UInt32(truncatingIfNeeded: index) == 0 {
      guard omit(index, run, now: now()) else { return false }
    }
    return true
  }

  /// Returns the place of a name, by comparing: for few names that is quicker than hashing.
  @inline(__always)
  private func place(of name: String) -> Int? {
    let word = Self.word(name)
    // The same bits are the same name.
    for index in 0..<words.count where words[index] == word { return index }
    return comparedPlace(of: name)
  }

  private func comparedPlace(of name: String) -> Int? {
    let count = name.utf8.count
    // Names that are equal in the language of Swift, but have other bytes, get the closer look.
    for index in 0..<names.count where names[index].utf8.count == count && names[index] == name { return index }
    return nil
  }

  /// Returns the bits of a name's value. Equal ones are of equal names, as long as both are there; other ones may be, too.
  @inline(__always)
  private static func word(_ name: String) -> SIMD2<UInt64> {
    // Safe because a text is two words, whatever they mean.
    unsafeBitCast(name, to: SIMD2<UInt64>.self)
  }

  private func bindHashed(
    _ variables: [String: Value], to run: some ParameterHolder, _ scratch: ScratchArena, now: @autoclosure () -> Int64
  ) -> Bool {
    var given = 0
    for index in 0..<parameters.count {
      if !parameters[index].isNow, let value = variables[names[index]] {
        guard parameters[index].bind(value, index, run, scratch, names: enumerations[index]) else { return false }
        given += 1
      } else {
        guard omit(index, run, now: now()) else { return false }
      }
    }
    return given == variables.count
  }

  /// Binds a parameter for which no variable is given; false where one is needed.
  @inline(__always)
  private func omit(_ index: Int, _ run: some ParameterHolder, now: @autoclosure () -> Int64) -> Bool {
    if parameters[index].isNow {
      run.setParameter(index, Cell(now()))
    } else if parameters[index].isOptional {
      run.omitParameter(index)
    } else {
      return false
    }
    return true
  }
}

/// A holder of the cells of parameters.
protocol ParameterHolder {
  /// Replaces the value of a parameter; nil is null.
  func setParameter(_ index: Int, _ cell: Cell?)
  /// Makes a parameter null, as one for which no variable is given.
  func omitParameter(_ index: Int)
}

extension Execution: ParameterHolder {
  func omitParameter(_ index: Int) { setParameter(index, nil) }
}
extension OperationParameters: ParameterHolder {}
