/// A class as `@Model` reads it: its properties that lie in a database.
struct StateModel: Equatable {
  enum Kind: String, Equatable {
    case property = "Property"
    case reference = "Reference"
    case list = "ReferenceList"
  }

  struct Property: Equatable {
    var kind: Kind
    /// As the source writes it, with backticks if it has any.
    var name: String
    var number: Int
    /// As the source writes it.
    var type: String
    var isOptional: Bool
    /// The default value, as the source writes it.
    var initialValue: String?
    var isDeprecated: Bool
  }

  /// The attributes of availability, which the extension needs too.
  var availability: [String]
  /// `public `, `package ` or nothing.
  var access: String
  /// The argument of `@Model`, as the source writes it.
  var number: String
  var properties: [Property] = []
}

extension EntityModelReader {
  /// The properties of a model, or nil where nothing should be written.
  mutating func readState() -> StateModel? {
    guard checkHead() else { return nil }
    // Without an argument it is no `@Model`, and the compiler says so.
    let attribute = declaration.attributes.first { $0.name == macro.attribute && $0.isOurs }
    guard let number = attribute?.arguments?.first(where: { $0.label == "id" }) else { return nil }
    let access = access()
    var model = StateModel(
      availability: availability(), access: access == "fileprivate " ? "" : access, number: stream.text(number.value))
    var (depth, isSound) = (0, true)
    for member in declaration.members {
      switch member {
      case .condition(let line): depth += line.kind == .if ? 1 : line.kind == .endif ? -1 : 0
      case .codingKeys: break
      case .property(let property):
        guard let wrapper = property.attributes.first(where: { StateModel.Kind(rawValue: $0.name) != nil && $0.isOurs })
        else { continue }
        guard let read = stateProperty(property, wrapper, isConditional: depth > 0) else {
          isSound = false
          continue
        }
        if let other = model.properties.first(where: { $0.number == read.number }) {
          report(
            .numberTakenTwice(first: Self.unquoted(other.name), second: name(property), number: read.number),
            bytes(wrapper.range, of: property))
          isSound = false
        }
        model.properties.append(read)
      }
    }
    return isSound ? model : nil
  }

  private mutating func stateProperty(
    _ property: PropertyDeclaration, _ wrapper: Attribute, isConditional: Bool
  ) -> StateModel.Property? {
    let name = name(property)
    let range = bytes(wrapper.range, of: property)
    let all = property.attributes.filter { StateModel.Kind(rawValue: $0.name) != nil && $0.isOurs }
    guard let kind = StateModel.Kind(rawValue: wrapper.name), all.count == 1 else {
      report(.twoWrappers(first: wrapper.name, second: all[1].name, name: name), bytes(all[1].range, of: property))
      return nil
    }
    if isConditional {
      report(.conditionalProperty(name: name), range)
      return nil
    }
    if property.isStatic {
      report(.staticProperty(attribute: wrapper.name, name: name), range)
      return nil
    }
    guard checkIsVariable(property, wrapper) else { return nil }
    guard let type = property.type, !type.isEmpty else {
      report(.propertyWithoutType(attribute: wrapper.name, name: name), range)
      return nil
    }
    guard let argument = wrapper.arguments?.first(where: { $0.label == "id" }), let number = integer(argument.value)
    else {
      report(.numberNotLiteral(attribute: wrapper.name, name: name), range)
      return nil
    }
    guard (1...Int(Int32.max)).contains(number) else {
      report(.numberOutOfRange(name: name), range)
      return nil
    }
    return StateModel.Property(
      kind: kind, name: stream.text(property.name), number: number, type: stream.text(type),
      isOptional: TypeShape(type, in: stream).isOptional,
      initialValue: property.initialValue.map { stream.text($0) }, isDeprecated: isDeprecated(property))
  }

  /// The value of an integer literal; what is too large is the largest there is.
  private func integer(_ value: Range<Int>) -> Int? {
    let text = stream.text(value).filter { $0 != "_" }
    guard let first = text.utf8.first, (0x30...0x39).contains(first) else { return nil }
    let radixes: [String: Int] = ["0x": 16, "0o": 8, "0b": 2]
    let radix = radixes[String(text.prefix(2))]
    let digits = radix == nil ? text[...] : text.dropFirst(2)
    guard !digits.isEmpty, digits.allSatisfy({ ($0.hexDigitValue ?? 99) < radix ?? 10 }) else { return nil }
    return Int(digits, radix: radix ?? 10) ?? .max
  }
}
