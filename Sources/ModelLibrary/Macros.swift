/// Makes a struct an entity model: writes its conformance to ``EntityModelProtocol`` from its properties.
///
/// Every stored property becomes a column, `@Relationship` a relation, `@Index`, `@HashIndex`, `@Unique` and
/// `@FullTextIndex` an index. The struct needs a property `id`, which may be computed. Properties under `#if` are
/// described under the same condition. What the macro writes can be written by hand.
///
/// - Parameter number: The number that the type keeps in files of databases, whatever it is called.
/// - Parameter names: The names that the type had before in the schema.
@attached(
  extension, conformances: EntityModelProtocol,
  names: named(describe(_:)), named(init(from:)), named(write(to:)), named(patch))
public macro EntityModel(number: Int? = nil, was names: String...) =
  #externalMacro(module: "GQLModelMacros", type: "EntityModelMacro")

/// Says of a property of an entity model which number it keeps in files of databases, and what it was called before.
///
/// ```swift
/// @Field(was: "title") var name: String
/// @Field(3) var pages: Int
/// ```
/// Either is enough to keep the values of a property that is renamed.
@attached(peer)
public macro Field(_ number: Int? = nil, was names: String...) =
  #externalMacro(module: "GQLModelMacros", type: "FieldMacro")

/// Tells of a `Codable` struct within entities what it holds: writes its conformance to ``EmbeddedModelProtocol`` from its
/// properties, each under its key in `CodingKeys`, whether the macro or the program writes these.
///
/// The macro also writes the coding, just as Swift would, so that what it tells of it is true. A struct that codes itself in
/// a way of its own is refused, wherever it does it; it can conform by hand, and say what of it is coded as it is.
/// What a protocol of the struct's would write, as `RawRepresentable` does, gives way to what the macro writes.
/// Properties without a case in the program's `CodingKeys`, which stand in the struct, are not coded. Properties with
/// wrappers, and constants that have a value, are coded but not described.
@attached(
  extension, conformances: EmbeddedModelProtocol,
  names: named(CodingKeys), named(init(from:)), named(encode(to:)), named(describe(_:)))
public macro EmbeddedModel() = #externalMacro(module: "GQLModelMacros", type: "EmbeddedModelMacro")
