import GQLiteModels
import Testing

/// Whose id is not its first property.
@EntityModel
private struct Named: Labelled {
  @Index<Self>(\.name) private var index
  var name: String
  let id: Int
}

private protocol Labelled: EntityModelProtocol where ID == Int {}
extension Deleted: Labelled where Entity: Labelled {}

/// Conditions on deleted entities in generic code are on their own id.
@Suite struct DeletedConditionTests {
  private func find<Entity: Labelled>(_ type: Entity.Type, _ id: Int, in context: Context) -> [Int] {
    Entity.filter(\.id == id).resolve(in: context).map(\.id)
  }

  private func ids<Entity: Labelled>(_ type: Entity.Type, in context: Context) -> [Int] {
    Entity.query().sorted(by: \.id).resolve(in: context).map(\.id)
  }

  @Test func byID() throws {
    var context = Context()
    for (id, name) in [(1_000_000, "b"), (2, "a"), (3, "c"), (4, "d")] {
      try Named(name: name, id: id).save(to: &context)
    }
    for id in [1_000_000, 2, 3] { try Named.delete(id: id, from: &context) }
    #expect(find(Named.self, 4, in: context) == [4] && find(Named.self, 2, in: context) == [])
    #expect(find(Deleted<Named>.self, 1_000_000, in: context) == [1_000_000])
    #expect(find(Deleted<Named>.self, 4, in: context) == [])
    #expect(ids(Deleted<Named>.self, in: context) == [2, 3, 1_000_000] && ids(Named.self, in: context) == [4])
    #expect(Deleted<Named>.filter(\.id > 2).resolve(in: context).map(\.id) == [1_000_000, 3])
  }
}
