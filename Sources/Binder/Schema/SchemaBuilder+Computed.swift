import GQLBase
import GQLCatalog
import GQLParser

/// `@computed(as: "firstName + \" \" + lastName")`.
extension SchemaBuilder {
  /// The expression of a computed field; what else stands beside it is checked.
  mutating func computedText(_ field: FieldDefinition) -> String? {
    guard let directive = directives("computed", of: field.directives).first else { return nil }
    for other in field.directives {
      switch other.name.text {
      case "relation", "default", "collate", "source", "was", "number", "merge":
        report(.misplacedDirective(name: other.name.text, reason: .onComputed), at: other.name.range)
      case let name:
        // Keys are reported where they are made.
        if IndexDirective(named: name)?.hasKeys == false {
          report(.misplacedDirective(name: name, reason: .onComputed), at: other.name.range)
        }
      }
    }
    if let value = field.defaultValue {
      report(.wrongDefault(field: field.name.text, problem: .notConstant), at: value.range)
    }
    guard argument("as", of: directive) != nil else {
      report(.missingDirectiveArgument(directive: "computed", argument: "as"), at: directive.name.range)
      return ""
    }
    return string("as", of: directive) ?? ""
  }

  /// Binds every computed field in the scope of its type: a catalog without errors has none that cannot be bound.
  mutating func checkComputedFields() {
    for (position, index) in entityDrafts.enumerated() {
      for property in catalog.types[position].properties {
        guard case .computed(let text) = property.storage,
          let field = drafts[index].definition.fields.first(where: { $0.name.text == property.name }),
          let directive = field.directives.first(where: { $0.name.text == "computed" }),
          case .string(let literal)? = argument("as", of: directive)?.value.kind
        else { continue }
        let parsed = parseExpression(SourceText(name: "", bytes: Array(text.utf8)))
        var found = parsed.diagnostics
        var isExhausted = false
        if !parsed.hasErrors {
          let binder = Binder(catalog: catalog, options: BindingOptions(), name: nil)
          found = binder.checkComputed(property, parsed.output, of: EntityTypeID(position))
          isExhausted = binder.isExhausted
        }
        for diagnostic in found {
          diagnostics.append(diagnostic.placed(in: literal))
        }
        // Fields that stand in each other double as fast as they are written; one that is too large is enough to know.
        if isExhausted { return }
      }
    }
  }
}

extension Diagnostic {
  /// The diagnostic of a text that is the value of a string literal, at its place in the literal: exact where the
  /// literal has no escapes but the short ones, else the whole literal.
  fileprivate func placed(in literal: StringLiteral) -> Diagnostic {
    var offsets: [UInt32] = []
    var written: UInt32 = 1
    for byte in literal.value.utf8 {
      offsets.append(written)
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D: written += 2
      default: written += 1
      }
    }
    offsets.append(written)
    let isExact = !literal.isBlock && literal.range.count == Int(written) + 1
    func place(_ offset: UInt32) -> UInt32 { literal.range.start + offsets[min(Int(offset), offsets.count - 1)] }
    var copy = self
    copy.range =
      isExact
      ? SourceRange(start: place(range.start), end: max(place(range.start), place(range.end))) : literal.range
    copy.notes = []
    copy.fixIts = []
    return copy
  }
}
