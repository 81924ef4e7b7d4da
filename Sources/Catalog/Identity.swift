/// A set of marks by which a type or a field is recognized in another schema, besides its name.
package struct Identity: Sendable, Hashable {
  /// `@number(value: 7)`; nil where the schema gives none.
  package var number: Int64?
  /// `@was(name: "title")`, in the order written: names under which older schemas have it.
  package var formerNames: [String]

  package init(number: Int64? = nil, formerNames: [String] = []) {
    self.number = number
    self.formerNames = formerNames
  }

  /// The greatest number that a schema may give.
  package static let greatestNumber = Int64(Int32.max)
}
