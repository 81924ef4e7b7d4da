#if !canImport(SwiftUI)
  import GQLiteState

  // SwiftUI's names, as far as the document's snippets use them.

  protocol View {
    associatedtype Body: View
    var body: Body { get }
  }

  extension Never: View {
    var body: Never { fatalError("nothing has a body") }
  }

  /// Makes the object of the environment the database of queries.
  @propertyWrapper struct EnvironmentObject<Object: AnyObject> {
    init() {}
    var wrappedValue: Object {
      guard let object = ObservableDatabase.current as? Object else { fatalError("no \(Object.self)") }
      return object
    }
  }

  @propertyWrapper final class State<Value> {
    var wrappedValue: Value
    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    var projectedValue: Binding<Value> { Binding(get: { self.wrappedValue }, set: { self.wrappedValue = $0 }) }
  }

  @propertyWrapper struct Binding<Value> {
    let get: () -> Value
    let set: (Value) -> Void
    init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { (self.get, self.set) = (get, set) }
    var wrappedValue: Value {
      get { get() }
      nonmutating set { set(newValue) }
    }
    var projectedValue: Binding<Value> { self }
  }

  struct Text: View {
    let text: String
    init(_ text: String) { self.text = text }
    var body: Never { fatalError("a text has no body") }
  }

  struct List<Row: View>: View {
    let rows: [Row]
    init<Item: Identifiable>(_ items: [Item], row: (Item) -> Row) { rows = items.map(row) }
    var body: Never { fatalError("a list has no body") }
  }
#endif
