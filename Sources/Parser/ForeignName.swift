/// Names that people type who come from SQL, a GraphQL server, MongoDB or another language, by the place they stand at,
/// and what they are called here. `docs/habits.md` has them all.
package enum ForeignName {
  /// Arguments of a list.
  package static let listArguments: [String: String] = [
    "first": "limit", "take": "limit", "top": "limit", "pageSize": "limit", "perPage": "limit", "per_page": "limit",
    "size": "limit", "skip": "offset", "filter": "where", "condition": "where", "sort": "orderBy", "order": "orderBy",
    "order_by": "orderBy", "sortBy": "orderBy", "sort_by": "orderBy", "distinct": "distinctOn",
    "distinct_on": "distinctOn", "group": "groupBy", "group_by": "groupBy", "cursor": "after",
  ]

  /// Arguments of a list, by their names without capitals.
  private static let ownArguments: [String: String] = [
    "where": "where", "limit": "limit", "offset": "offset", "having": "having", "orderby": "orderBy",
    "groupby": "groupBy", "distincton": "distinctOn",
  ]

  /// The argument of a list that a word means which has no colon behind it. Most foreign words are fields' names too.
  static func clause(_ word: String) -> String? {
    let word = word.lowercased()
    return ownArguments[word] ?? (["first", "take", "top", "skip"].contains(word) ? listArguments[word] : nil)
  }

  /// Returns whether a word is the name of an argument rather than of a field.
  static func isArgument(_ word: String) -> Bool {
    clause(word) != nil || ["id", "set", "data", "all", "on", "after", "before"].contains(word)
  }

  /// Arguments of `update…`.
  package static let updateArguments: [String: String] = [
    "data": "set", "_set": "set", "values": "set", "patch": "set", "input": "set", "filter": "where",
  ]

  /// Arguments of `insert…` and `upsert…`.
  package static let insertArguments: [String: String] = [
    "object": "data", "objects": "data", "values": "data", "input": "data", "set": "data",
  ]

  /// Operators of the object form.
  package static let operators: [String: String] = [
    "equals": "eq", "equal": "eq", "equalTo": "eq", "_eq": "eq", "is": "eq", "_ne": "ne", "_neq": "ne", "neq": "ne",
    "notEquals": "ne", "notEqualTo": "ne", "not": "ne", "_gt": "gt", "greaterThan": "gt", "_gte": "gte", "ge": "gte",
    "greaterThanOrEqual": "gte", "greaterThanOrEqualTo": "gte", "_lt": "lt", "lessThan": "lt", "_lte": "lte",
    "le": "lte", "lessThanOrEqual": "lte", "lessThanOrEqualTo": "lte", "_in": "in", "_nin": "notIn", "nin": "notIn",
    "not_in": "notIn", "_like": "like", "_ilike": "ilike", "_contains": "contains", "includes": "contains",
    "has": "contains",
    "starts_with": "startsWith", "ends_with": "endsWith", "_regex": "regex", "is_null": "isNull", "_is_null": "isNull",
  ]

  /// MongoDB's operators, which begin with `$`.
  static let dollarOperators: [String: String] = [
    "eq": "eq", "ne": "ne", "gt": "gt", "gte": "gte", "lt": "lt", "lte": "lte", "in": "in", "nin": "notIn",
    "and": "and", "or": "or", "not": "not", "regex": "regex", "exists": "isNull", "elemMatch": "some",
  ]

  /// Words between operands, in small letters.
  package static let wordOperators: [String: String] = [
    "eq": "==", "equals": "==", "ne": "!=", "neq": "!=", "gt": ">", "gte": ">=", "ge": ">=", "lt": "<", "lte": "<=",
    "le": "<=", "contains": "contains", "includes": "contains", "has": "contains", "startswith": "startsWith",
    "starts_with": "startsWith", "endswith": "endsWith", "ends_with": "endsWith", "regexp": "=~", "rlike": "=~",
    "match": "=~", "matches": "=~", "glob": "like",
  ]

  /// Units of intervals, as durations end.
  static let durations: [String: String] = [
    "year": "Y", "month": "M", "week": "W", "day": "D", "hour": "TH", "minute": "TM", "min": "TM", "second": "TS",
  ]

  /// Connectives and quantifiers of the object form.
  package static let connectives: [String: String] = [
    "_and": "and", "_or": "or", "_not": "not", "AND": "and", "OR": "or", "NOT": "not",
  ]
  package static let quantifiers: [String: String] = ["any": "some", "all": "every", "is": "some", "exists": "some"]

  /// What ends the name of a field that is compared: `age_gt`.
  package static let comparisons: [String: (filter: String, operator: String)] = [
    "gt": ("gt", ">"), "gte": ("gte", ">="), "lt": ("lt", "<"), "lte": ("lte", "<="), "not": ("ne", "!="),
    "ne": ("ne", "!="), "eq": ("eq", "=="), "in": ("in", "in"), "contains": ("contains", "contains"),
    "like": ("like", "like"), "startsWith": ("startsWith", "startsWith"), "endsWith": ("endsWith", "endsWith"),
  ]

  /// Literals.
  package static let literals: [String: String] = [
    "NULL": "null", "Null": "null", "nil": "null", "None": "null", "undefined": "null", "TRUE": "true", "True": "true",
    "FALSE": "false", "False": "false",
  ]

  /// Words without parentheses that are functions.
  package static let instants: [String: String] = [
    "CURRENT_DATE": "date()", "current_date": "date()", "CURRENT_TIMESTAMP": "now()", "current_timestamp": "now()",
    "NOW": "now()", "today": "date()",
  ]

  /// The element of a scope.
  package static let elements: Set<String> = ["self", "this", "it", "item", "row", "_"]

  /// Functions.
  package static let functions: [String: String] = [
    "len": "length", "char_length": "length", "strlen": "length", "size": "length", "substr": "slice",
    "substring": "slice", "mid": "slice", "ucase": "upper", "toUpper": "upper", "toUpperCase": "upper",
    "uppercase": "upper", "lcase": "lower", "toLower": "lower", "toLowerCase": "lower", "lowercase": "lower",
    "ifnull": "coalesce", "IFNULL": "coalesce", "isnull": "coalesce", "nvl": "coalesce", "NVL": "coalesce",
    "iif": "if", "IIF": "if", "average": "avg", "mean": "avg", "total": "sum", "array_agg": "collect",
    "json_agg": "collect", "map": "collect", "group_concat": "join", "string_agg": "join", "any": "some",
    "all": "every",
    "str": "string", "toString": "string", "tostring": "string", "toInt": "int", "parseInt": "int", "strip": "trim",
    "ceiling": "ceil", "power": "pow", "date_trunc": "trunc", "datediff": "dateDiff", "current_timestamp": "now",
    "today": "date", "current_date": "date", "curdate": "date", "getdate": "now",
    "unique": "distinct", "uniq": "distinct",
  ]

  /// Functions of two texts that are operators.
  package static let operatorFunctions: [String: String] = [
    "contains": "contains", "includes": "contains", "startsWith": "startsWith", "startswith": "startsWith",
    "starts_with": "startsWith", "hasPrefix": "startsWith", "endsWith": "endsWith", "endswith": "endsWith",
    "ends_with": "endsWith", "hasSuffix": "endsWith", "like": "like", "ilike": "ilike", "matches": "=~", "test": "=~",
    "regexp_like": "=~",
  ]

  /// Functions of one value that are tests.
  package static let nullFunctions: Set<String> = ["isNull", "is_null", "isnull", "ISNULL", "isNil"]

  /// Methods and properties of values and lists that are functions of them.
  package static let methods: [String: String] = [
    "toLowerCase": "lower", "lowercased": "lower", "lower": "lower", "downcase": "lower", "toUpperCase": "upper",
    "uppercased": "upper", "upper": "upper", "upcase": "upper", "trim": "trim", "strip": "trim", "trimmed": "trim",
    "round": "round", "abs": "abs", "floor": "floor", "ceil": "ceil", "toString": "string", "replace": "replace",
    "split": "split", "slice": "slice", "substring": "slice", "year": "year", "month": "month", "day": "day",
  ]

  /// Properties that are a length or a count.
  package static let counts: Set<String> = ["length", "count", "size", "len"]

  /// Methods of lists that are functions of them.
  package static let listMethods: [String: String] = [
    "some": "some", "any": "some", "exists": "some", "contains": "some", "includes": "some", "every": "every",
    "all": "every",
    "allSatisfy": "every", "none": "none", "map": "collect", "sum": "sum", "avg": "avg", "average": "avg", "min": "min",
    "max": "max", "first": "first", "last": "last", "join": "join", "joined": "join", "distinct": "distinct",
    "unique": "distinct",
  ]

  /// Lists the endings of the names of generated types of variables.
  package static let inputEndings: [(written: String, ending: String)] = [
    ("WhereUniqueInput", "Filter"), ("WhereInput", "Filter"), ("FilterInput", "Filter"), ("Where", "Filter"),
    ("_bool_exp", "Filter"), ("OrderByInput", "Order"), ("OrderBy", "Order"), ("_order_by", "Order"),
    ("CreateInput", "Input"), ("UpdateInput", "Input"), ("_insert_input", "Input"), ("_set_input", "Input"),
  ]

  /// Types of variables.
  package static let types: [String: String] = [
    "integer": "Int", "Integer": "Int", "INTEGER": "Int", "INT": "Int", "BigInt": "Int", "Long": "Int", "long": "Int",
    "number": "Float", "Number": "Float", "double": "Float", "Double": "Float", "real": "Float", "bool": "Boolean",
    "Bool": "Boolean", "str": "String", "text": "String", "Text": "String", "varchar": "String", "VARCHAR": "String",
    "Datetime": "DateTime", "timestamp": "DateTime", "Timestamp": "DateTime", "Timestamptz": "DateTime",
    "uuid": "UUID", "Uuid": "UUID", "json": "JSON", "Json": "JSON", "jsonb": "JSON", "numeric": "Decimal",
    "int": "Int", "bigint": "Int", "smallint": "Int", "signed": "Int", "float": "Float", "decimal": "Decimal",
    "string": "String", "char": "String", "nvarchar": "String", "boolean": "Boolean", "date": "Date",
    "datetime": "DateTime",
  ]

  /// The type that a name means: our own one whatever its letters, or one of another language.
  package static func type(_ name: String) -> String { types[name] ?? types[name.lowercased()] ?? name }

  /// Functions that convert to a type.
  package static let castFunctions: [String: String] = [
    "Int": "int", "Float": "float", "Decimal": "decimal", "String": "string", "Boolean": "boolean",
    "Duration": "duration",
  ]

  /// What wraps the elements of a list elsewhere.
  package static let wrappers: Set<String> = ["edges", "node", "nodes", "items", "data", "results"]

  /// What counts the elements beside them elsewhere.
  package static let totals: Set<String> = ["totalCount", "total", "count", "aggregate", "_aggregate", "total_count"]

  /// Mutations' verbs, longest first where one begins another.
  package static let verbs: [(written: String, verb: String)] = [
    ("create", "insert"), ("insert", "insert"), ("add", "insert"), ("new", "insert"), ("save", "upsert"),
    ("upsert", "upsert"), ("merge", "upsert"), ("update", "update"), ("edit", "update"), ("modify", "update"),
    ("change", "update"), ("set", "update"), ("delete", "delete"), ("remove", "delete"), ("destroy", "delete"),
  ]
}
