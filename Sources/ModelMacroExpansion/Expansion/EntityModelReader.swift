/// Makes an `EntityModel` of a declaration, and says what is wrong with it.
struct EntityModelReader {
  let stream: TokenStream
  let declaration: TypeDeclaration
  /// The declarations around this one, from the inside.
  let context: [TokenStream]
  let macro: ModelMacro
  var diagnostics: [MacroDiagnostic] = []

  init(
    _ stream: TokenStream, _ declaration: TypeDeclaration, context: [TokenStream], for macro: ModelMacro = .entityModel
  ) {
    self.stream = stream
    self.declaration = declaration
    self.context = context
    self.macro = macro
  }

  var typeName: String { stream.text(declaration.name) }

  mutating func report(_ problem: MacroProblem, _ range: Range<Int>, fixes: [MacroFix] = []) {
    diagnostics.append(problem.diagnostic(at: range, fixes: fixes))
  }

  /// The model, or nil where no extension should be written.
  mutating func read() -> EntityModel? {
    guard checkHead(), checkID() else { return nil }
    let attribute = declaration.attributes.first { $0.name == macro.attribute && $0.isOurs }
    var model = EntityModel(
      availability: availability(), access: access(), arguments: attribute.flatMap(identity), hasPatch: hasPatch())
    for member in declaration.members {
      switch member {
      case .condition(let line): model.items.append(.condition(line))
      case .property(let property): if let item = item(property) { model.items.append(item) }
      case .codingKeys: break
      }
    }
    return model
  }

  // MARK: The head

  mutating func checkHead() -> Bool {
    let keyword = stream.word(declaration.keyword)
    guard keyword == macro.keyword else {
      let fix = MacroFix(
        message: "make it a \(macro.keyword)", range: stream.bytes(declaration.keyword), text: macro.keyword)
      report(
        .notOfKind(macro, name: typeName, kind: keyword), stream.bytes(declaration.keyword),
        fixes: ["struct", "class", "actor"].contains(keyword) ? [fix] : [])
      return false
    }
    if !context.isEmpty, let modifier = declaration.modifiers.first(where: { $0.name == "private" }),
      let range = stream.bytes(modifier.range)
    {
      let fix = MacroFix(message: "replace 'private' with 'fileprivate'", range: range, text: "fileprivate")
      report(.inaccessible(macro, type: typeName), range, fixes: [fix])
      return false
    }
    return true
  }

  private mutating func checkID() -> Bool {
    guard declaration.properties.contains(where: { !$0.isStatic && name($0) == "id" }) else {
      let brace = stream.bytes(declaration.openingBrace).upperBound
      let fix = MacroFix(message: "add 'let id: String'", range: brace..<brace, text: "\n  let id: String")
      report(.noID(type: typeName), stream.bytes(declaration.name), fixes: [fix])
      return false
    }
    return true
  }

  func availability() -> [String] {
    declaration.attributes.filter { $0.name == "available" }.map { stream.text($0.range) }
  }

  /// The access of the members. What is not `public` or `package` is left to the compiler, whose rule for the
  /// members of an extension is the right one. In `public extension Schema { struct User }` the struct is public.
  func access() -> String {
    // An extension stands in the file, so that the compiler does not see in it how hidden the types around are.
    let isHidden = context.contains { around in
      DeclarationScanner.declaration(in: around)?.modifiers.contains { ["private", "fileprivate"].contains($0.name) }
        ?? false
    }
    if isHidden { return "fileprivate " }
    let visible = ["public", "package"]
    let own = declaration.modifiers.map(\.name)
    if let access = own.first(where: visible.contains) { return access + " " }
    guard !own.contains(where: ["internal", "fileprivate", "private"].contains), let around = context.first,
      let outer = DeclarationScanner.declaration(in: around), around.word(outer.keyword) == "extension",
      let access = outer.modifiers.map(\.name).first(where: visible.contains)
    else { return "" }
    return access + " "
  }

  private func hasPatch() -> Bool { declaration.properties.contains { $0.isStatic && name($0) == "patch" } }

  // MARK: Members

  /// A name without backticks.
  func name(_ property: PropertyDeclaration) -> String { EntityModelReader.unquoted(stream.text(property.name)) }

  static func unquoted(_ name: String) -> String {
    name.hasPrefix("`") && name.count > 2 ? String(name.dropFirst().dropLast()) : name
  }

  /// The attributes of this library on a property, by name.
  static let wrappers = ["Relationship", "Index", "HashIndex", "Unique", "FullTextIndex"]

  func wrappers(_ property: PropertyDeclaration) -> [Attribute] {
    property.attributes.filter {
      EntityModelReader.wrappers.contains($0.name) && $0.isOurs
    }
  }

  /// The arguments of `@Field` or `@EntityModel` as those of a function: the first one, if it has no label, is the number.
  private func identity(_ attribute: Attribute) -> String? {
    guard let arguments = attribute.arguments, !arguments.isEmpty else { return nil }
    return arguments.enumerated().map { place, argument in
      let label = argument.label ?? (place == 0 ? "number" : nil)
      return (label.map { "\($0): " } ?? "") + stream.text(argument.value)
    }.joined(separator: ", ")
  }

  /// Reads the arguments of a property's `@Field`.
  func field(_ property: PropertyDeclaration) -> String? {
    property.attributes.first { $0.name == "Field" && $0.isOurs }.flatMap(identity)
  }

  /// Reports `@Field` where it would say nothing.
  mutating func checkHasNoField(_ property: PropertyDeclaration) {
    guard let attribute = property.attributes.first(where: { $0.name == "Field" && $0.isOurs }) else { return }
    report(.misplacedField(name: name(property)), bytes(attribute.range, of: property))
  }

  private mutating func item(_ property: PropertyDeclaration) -> EntityModel.Item? {
    let wrappers = wrappers(property)
    guard let wrapper = wrappers.first else {
      guard let column = column(property) else {
        checkHasNoField(property)
        return nil
      }
      return checkName(property) ? .column(column) : nil
    }
    guard checkName(property) else { return nil }
    guard wrappers.count == 1 else {
      report(
        .twoWrappers(first: wrapper.name, second: wrappers[1].name, name: name(property)),
        bytes(wrappers[1].range, of: property))
      return nil
    }
    guard checkIsVariable(property, wrapper) else { return nil }
    if let kind = EntityModel.Index.Kind(rawValue: wrapper.name) {
      checkHasNoField(property)
      return index(property, kind, wrapper).map(EntityModel.Item.index)
    }
    return relation(property, wrapper).map(EntityModel.Item.relation)
  }

  func isDeprecated(_ property: PropertyDeclaration) -> Bool {
    property.attributes.contains { attribute in
      attribute.name == "available"
        && (attribute.arguments ?? []).contains { ($0.label ?? stream.text($0.value)) == "deprecated" }
    }
  }

  func bytes(_ range: Range<Int>, of property: PropertyDeclaration) -> Range<Int> {
    stream.bytes(range) ?? stream.bytes(property.name)
  }

  /// A wrapper on a `let` is an error of the compiler's, too; this one mends it.
  mutating func checkIsVariable(_ property: PropertyDeclaration, _ wrapper: Attribute) -> Bool {
    guard !property.isVariable else { return true }
    let range = stream.bytes(property.introducer)
    report(
      .constantWrapper(attribute: wrapper.name, name: name(property)), range,
      fixes: [MacroFix(message: "replace 'let' with 'var'", range: range, text: "var")])
    return false
  }

  /// Text has names too.
  private mutating func checkName(_ property: PropertyDeclaration) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { byte == 0x5F || (0x41...0x5A).contains(byte & 0xDF) }
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    let name = name(property)
    if let first = name.utf8.first, !isDigit(first), !name.hasPrefix("__"),
      name.utf8.allSatisfy({ isLetter($0) || isDigit($0) })
    {
      return true
    }
    report(.foreignName(name: name), stream.bytes(property.name))
    return false
  }

  private mutating func column(_ property: PropertyDeclaration) -> EntityModel.Column? {
    let isComputedID = !property.isStored && name(property) == "id"
    guard !property.isStatic, property.isStored || isComputedID else { return nil }
    if let modifier = property.modifier("lazy") {
      let range = removal(of: modifier, of: property)
      report(
        .lazyProperty(name: name(property)), bytes(modifier.range, of: property),
        fixes: [MacroFix(message: "remove 'lazy'", range: range, text: "")])
      return nil
    }
    let isConstant = !property.isVariable && property.initialValue != nil
    let isOptional = property.type.map { TypeShape($0, in: stream).isOptional } ?? false
    return EntityModel.Column(
      name: stream.text(property.name), isDeprecated: isDeprecated(property), isRead: property.isStored && !isConstant,
      isPatched: property.isStored && property.isVariable && isOptional && !isWrapped(property),
      isDoubtfulID: name(property) == "id"
        && property.type.map { !EntityModelReader.textualTypes.contains(stream.text($0)) } ?? false,
      field: field(property))
  }

  /// Whether what is stored is something else that a wrapper makes of it.
  func isWrapped(_ property: PropertyDeclaration) -> Bool {
    property.attributes.contains { attribute in
      !attribute.isActor && !Self.isCompilers(attribute.name) && !(attribute.name == "Field" && attribute.isOurs)
    }
  }

  /// `_spi` and the like, and those that have no mark.
  private static func isCompilers(_ name: String) -> Bool {
    compilerAttributes.contains(name) || name.hasPrefix("_") && name.dropFirst().first?.isLowercase == true
  }

  /// The attributes of stored properties that are no types of the program's.
  private static let compilerAttributes: Set<String> = [
    "abi", "available", "differentiable", "exclusivity", "inlinable", "noDerivative", "nonobjc", "objc",
    "preconcurrency", "safe", "unsafe", "usableFromInline",
  ]

  /// Types of ids that are known to be made from and into text.
  private static let textualTypes: Set<String> = [
    "String", "Substring", "Character", "Bool", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64", "UInt",
    "UInt8", "UInt16", "UInt32", "UInt64",
  ]

  /// A modifier with the space behind it.
  func removal(of modifier: Modifier, of property: PropertyDeclaration) -> Range<Int> {
    let range = bytes(modifier.range, of: property)
    let next =
      modifier.range.upperBound < stream.count ? stream.bytes(modifier.range.upperBound).lowerBound : range.upperBound
    return range.lowerBound..<max(next, range.upperBound)
  }
}

extension Attribute {
  /// Indicates whether the attribute is of this library, as far as its name tells.
  var isOurs: Bool { qualifier == nil || qualifier == "GQLiteModels" || qualifier == "GQLiteState" }

  /// Whether it names a global actor, which wraps nothing.
  fileprivate var isActor: Bool { name.hasSuffix("Actor") }
}
