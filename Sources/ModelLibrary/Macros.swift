/// Makes a struct an entity model: writes its conformance to ``EntityModelProtocol`` from its properties.
///
/// Every stored property becomes a column, `@Relationship` a relation, `@Index`, `@HashIndex`, `@Unique` and
/// `@FullTextIndex` an index. The struct needs a property `id`, which may be computed. Properties under `#if` are
/// described under the same condition. What the macro writes can be written by hand.
@attached(
  extension, conformances: EntityModelProtocol,
  names: named(describe(_:)), named(init(from:)), named(write(to:)), named(patch))
public macro EntityModel() = #externalMacro(module: "GQLModelMacros", type: "EntityModelMacro")
