import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore

/// How the variables of an operation become cells at once, without values between.
struct CellBindings: Sendable {
  private let parameters: [CellBinding]
  /// How many are variables.
  private let shown: Int
  /// Indicates whether a parameter is a list.
  let hasLists: Bool

  /// Nil where a parameter needs a closer look.
  init?(_ parameters: [BoundParameter], _ catalog: Catalog) {
    let bindings = parameters.compactMap { CellBinding($0, catalog) }
    guard bindings.count == parameters.count else { return nil }
    self.parameters = bindings
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
    // Read where they lie, so that none is copied.
    return parameters.withUnsafeBufferPointer { parameters in
      if parameters.count == 1, shown == 1, variables.count == 1 {
        // Comparing one name is quicker than hashing it.
        let (name, value) = variables[variables.startIndex]
        return name == parameters[0].name && parameters[0].bind(value, 0, run, scratch)
      }
      var given = 0
      for index in 0..<parameters.count {
        if parameters[index].isNow {
          run.setParameter(index, Cell(now()))
          continue
        }
        if let value = variables[parameters[index].name] {
          guard parameters[index].bind(value, index, run, scratch) else { return false }
          given &+= 1
        } else {
          guard parameters[index].isOptional else { return false }
          run.omitParameter(index)
        }
      }
      return given == variables.count
    }
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
