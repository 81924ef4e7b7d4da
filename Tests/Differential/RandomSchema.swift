extension Model {
  /// A random schema: two to four entity types, perhaps an embedded one, an interface and a union.
  static func randomSchema(_ random: inout SeededRandom) -> Model {
    var model = Model()
    let count = 2 + random.below(3)
    let names = (0..<count).map { "T\($0)" }
    let hasEmbedded = random.chance(60)
    for name in names { model.shapes.append(entity(name, hasEmbedded: hasEmbedded, &random)) }
    if hasEmbedded {
      let fields = [Field(name: "a", kind: .int), Field(name: "b", kind: .text), Field(name: "c", kind: .decimal)]
      model.shapes.append(Shape(name: "E0", role: .embedded, fields: fields))
    }
    if random.chance(50) { model.addInterface(names, &random) }
    if random.chance(40) {
      let members = Array(names.shuffled(using: &random).prefix(2)).sorted()
      model.shapes.append(Shape(name: "U0", role: .union, members: members))
    }
    model.addRelations(names, &random)
    if interfacesHaveRelations { model.addInterfaceRelation(names, &random) }
    for place in 0..<count where random.chance(40) {
      var generator = QueryGenerator(model, random)
      model.shapes[place].fields.append(generator.computedField(of: names[place]))
      random = generator.random
    }
    return model
  }

  private static func entity(_ name: String, hasEmbedded: Bool, _ random: inout SeededRandom) -> Shape {
    var fields = [Field(name: "id", kind: .id, isNonNull: true)]
    fields.append(Field(name: "key", kind: .text, isNonNull: true, directives: " @unique"))
    let plain = 4 + random.below(5)
    for number in 0..<plain {
      let kind = random.chance(40) ? random.pick([Kind.int, .text]) : random.pick(Kind.scalars)
      var directives = random.pick(["", "", " @index", " @index", " @index(kind: HASH)"])
      if kind == .text, random.chance(40) { directives += " @trigram" }
      let isFolded = kind == .text && random.chance(25)
      fields.append(
        Field(
          name: "f\(number)", kind: kind, isNonNull: random.chance(25), isFolded: isFolded, directives: directives))
    }
    var shape = Shape(name: name)
    if random.chance(60) {
      let first = 2 + random.below(plain - 1)
      shape.directives += " @index(fields: [\"\(fields[first].name)\", \"\(fields[first + 1].name)\"])"
    }
    let element: Kind = random.pick([.int, .text, .symbol])
    let directives = random.pick(["", " @elements"])
    fields.append(Field(name: "l", kind: .list(element), isNonNull: true, directives: directives))
    if random.chance(40) { fields.append(Field(name: "j", kind: .json)) }
    if hasEmbedded {
      if random.chance(60) {
        fields.append(Field(name: "e", kind: .embedded("E0")))
        if random.chance(40) { shape.directives += " @index(fields: [\"e.a\"])" }
      }
      if random.chance(50) { fields.append(Field(name: "es", kind: .embeddedList("E0"))) }
    }
    if random.chance(50) {
      let language = random.pick([nil, "none", "en"])
      let directive = language.map { " @fulltext(language: \"\($0)\")" } ?? ""
      if let language, random.chance(40) {
        shape.directives += " @fulltext(fields: [\"d\", \"dd\"], language: \"\(language)\")"
        shape.textFields = ["d", "dd"]
        fields += shape.textFields.map { Field(name: $0, kind: .text, language: language) }
      } else {
        if language != nil { shape.textFields = ["d"] }
        fields.append(Field(name: "d", kind: .text, directives: directive, language: language))
      }
    }
    shape.fields = fields
    return shape
  }

  private mutating func addInterface(_ names: [String], _ random: inout SeededRandom) {
    let members = Array(names.shuffled(using: &random).prefix(1 + random.below(names.count))).sorted()
    let fields = [Field(name: "nn", kind: .int), Field(name: "nt", kind: .text)]
    let shared = [Field(name: "id", kind: .id, isNonNull: true)] + fields
    for place in shapes.indices where members.contains(shapes[place].name) {
      shapes[place].interfaces = ["N0"]
      shapes[place].fields += fields.map { field in
        var field = field
        field.directives = random.pick(["", " @index"])
        return field
      }
    }
    shapes.append(Shape(name: "N0", role: .interface, fields: shared, members: members))
  }

  /// Whether interfaces have relations of their own.
  package static let interfacesHaveRelations = true

  /// A relation that the interface declares and each member has, perhaps to the interface itself.
  private mutating func addInterfaceRelation(_ names: [String], _ random: inout SeededRandom) {
    guard let interface = shapes.first(where: { $0.role == .interface }), random.chance(70) else { return }
    let target = random.chance(60) ? interface.name : random.pick(names)
    let relation = RelationShape(name: "nr", target: target, isMany: random.chance(70))
    for name in interface.members + [interface.name] { add(relation, to: name) }
  }

  private mutating func addRelations(_ names: [String], _ random: inout SeededRandom) {
    for number in 0..<(names.count + random.below(3)) {
      let source = random.pick(names)
      // Every third leads to the type itself, so that there is something to recurse over.
      let target = random.chance(33) ? source : random.pick(names)
      let isMany = random.chance(55)
      let hasInverse = random.chance(70)
      add(
        RelationShape(name: "r\(number)", target: target, isMany: isMany, inverse: hasInverse ? "v\(number)" : nil),
        to: source)
      guard hasInverse else { continue }
      let isInverseMany = !isMany || random.chance(50)
      add(
        RelationShape(
          name: "v\(number)", target: source, isMany: isInverseMany, inverse: "r\(number)", isWritten: false),
        to: target)
    }
    for abstract in shapes where abstract.role == .interface || abstract.role == .union {
      guard random.chance(70) else { continue }
      let name = abstract.role == .union ? "ru" : "rn"
      add(RelationShape(name: name, target: abstract.name, isMany: random.chance(60)), to: random.pick(names))
    }
  }

  private mutating func add(_ relation: RelationShape, to name: String) {
    guard let place = shapes.firstIndex(where: { $0.name == name }) else { return }
    shapes[place].relations.append(relation)
  }
}
