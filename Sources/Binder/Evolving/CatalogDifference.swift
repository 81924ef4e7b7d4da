/// One thing that two schemas say differently.
package struct CatalogDifference: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable { case added, removed, changed }

  package enum Element: Sendable, Hashable {
    case type, interface, union, enumeration, enumValue, field, index
    /// A type that begins or ends to belong to an interface or union.
    case member(of: String)
    /// The root fields of a type.
    case root
  }

  /// What has changed.
  package enum Detail: Sendable, Hashable {
    case renamed(from: String)
    case number(Int64?)
    case type(from: String, to: String)
    case computed(Bool)
    case expression
    /// The rule by which it is merged; nil for none.
    case merge(String?)
    case defaultValue
    case caseInsensitive(Bool)
    /// The field at the other end.
    case inverse(from: String?, to: String?)
    case deleteRule(from: String, to: String)
    case key
    case options
    case order
    /// Indicates whether old values are kept, maybe for another time than before.
    case history(Bool)
  }

  package var kind: Kind
  package var element: Element
  /// `User`, `User.name`, `Status.OLD`.
  package var name: String
  package var detail: Detail?

  package init(_ kind: Kind, _ element: Element, _ name: String, _ detail: Detail? = nil) {
    self.kind = kind
    self.element = element
    self.name = name
    self.detail = detail
  }
}
