/// Makes a class a model: adds `id`, `database`, the initializer, `modelId`, `PropertyId`, `create(in:id:…)` and the
/// conformance to ``ModelProtocol``.
///
/// ```swift
/// @Model(id: 1)
/// final class Person {
///   @Property(id: 1) var name: String
///   @Reference(id: 2) var employer: Company?
///   @ReferenceList(id: 3) var friends: [Person]
/// }
/// ```
/// The numbers of a class's properties are integer literals from 1 up, each used once. What has none of the three wrappers
/// is as in any class: computed, constant, or with a value of its own.
///
/// - Parameter id: The number of the model, which no other one in the database has.
@attached(
  member, names: named(id), named(database), named(modelId), named(init), named(create), named(PropertyId),
  named(_modelObservation), named(_modelProperties), named(_modelDefaults))
@attached(extension, conformances: ModelProtocol)
public macro Model(id: Int) = #externalMacro(module: "GQLModelMacros", type: "StateModelMacro")
