import GQLModels
import Observation

/// A list of those who observe an object's properties. For the expansions of macros.
///
/// Objects whose database is no ``ObservableDatabase`` have an empty one, which costs a test for each access.
public final class ModelObservation: Sendable {
  /// Tells of a change of one property.
  typealias Tell = () -> Void

  private struct State {
    var tells: [PropertyKey: Tell] = [:]
  }

  let isActive: Bool
  private let registrar = ObservationRegistrar()
  private let state = Guarded(State())

  /// A list of the observers of an object of a database.
  public init(_ database: any Database) { isActive = database is ObservableDatabase }

  /// Notes that an observer reads a property.
  @inline(__always)
  func noteRead<Model: ModelProtocol, Value>(
    of model: Model, _ property: PropertyKey, _ path: Swift.KeyPath<Model, Value>
  ) {
    if isActive { noteActiveRead(of: model, property, path) }
  }

  private func noteActiveRead<Model: ModelProtocol, Value>(
    of model: Model, _ property: PropertyKey, _ path: Swift.KeyPath<Model, Value>
  ) {
    registrar.access(model, keyPath: path)
    let isKnown = state.withLock { $0.tells[property] != nil }
    if isKnown { return }
    let registrar = registrar
    let tell: Tell = { [weak model] in
      guard let model else { return }
      registrar.willSet(model, keyPath: path)
      registrar.didSet(model, keyPath: path)
    }
    state.withLock { $0.tells[property] = tell }
  }

  /// Notes that an observer reads the status.
  func noteStatusRead<Model: ModelProtocol>(of model: Model) {
    noteRead(of: model, .instanceId, \Model.status)
  }

  /// Tells the observers of a property.
  func tell(_ property: PropertyKey) {
    let tell = state.withLock { $0.tells[property] }
    tell?()
  }

  /// Tells the observers of all properties.
  func tellAll() {
    let tells = state.withLock { Array($0.tells.values) }
    for tell in tells { tell() }
  }
}
