import GQLite

/// What a program does to change data, on accounts of its own.
func changeData() throws {
  let database = try Database(
    schema: """
      type Account { id: ID! owner: String! email: String @unique @collate(CI) balance: Decimal! = 0 }
      """)
  try saveRows(in: database)
  try transfer(in: database)
  try decideConflicts(in: database)
  try addCommand(to: database)
  try addFunctions(to: database)
}

/// Rows in a variable.
private func saveRows(in database: Database) throws {
  let save = try database.prepare(
    "mutation($rows: [AccountInput!]!) { upsertAccount(data: $rows, strategy: PATCH) { id _inserted } }")
  let answer = try save.run([
    "rows": [
      ["id": 1, "owner": "Ann", "email": "ann@x.org", "balance": 50],
      ["id": 2, "owner": "Bo", "balance": "20.50"],
    ]
  ])
  print(answer.jsonString)
}

/// Several operations that take effect together, or not at all.
private func transfer(in database: Database) throws {
  let move = try database.prepare(
    "mutation($id: ID!, $by: Decimal!) { updateAccount(where: id == $id, set: {balance: balance + $by}) { balance } }")
  try database.transaction { transaction in
    try transaction.run(move, ["id": 1, "by": -15])
    try transaction.run(move, ["id": 2, "by": 15])
  }
  do {
    try database.transaction { transaction in
      try transaction.run(move, ["id": 1, "by": -100])
      let rest = try transaction.run("{ account(id: 1) { balance } }")
      if let balance = rest.value["account"]?["balance"]?.double, balance < 0 { throw TooLittle() }
    }
  } catch is TooLittle {
    print(try database.run("{ Account { owner balance } }").jsonString)
  }
}

private struct TooLittle: Error {}

/// Two entities that want one value of a unique field.
private func decideConflicts(in database: Database) throws {
  try database.onConflict("Account.email") { existing, new in
    existing["owner"] == new["owner"] ? .patch : .fail
  }
  try database.run(#"mutation { insertAccount(data: {id: 7, owner: "Ann", email: "ANN@x.org", balance: 1}) }"#)
  print(try database.run("{ Account { id owner email balance } }").jsonString)
}

/// A field of mutations that the program makes.
private func addCommand(to database: Database) throws {
  try database.registerCommand(
    "close", arguments: [CommandArgument("id", type: "ID!")], returns: "[Account!]!"
  ) { transaction, arguments in
    try transaction.run("mutation($id: ID!) { deleteAccount(where: id == $id) }", arguments)
    return .list(try transaction.run("{ Account { id } }").value["Account"]?.list?.compactMap { $0["id"] } ?? [])
  }
  print(try database.run("mutation { close(id: 2) { owner } }").jsonString)
}

/// Functions of expressions that the program makes, from Swift types or from the language's.
private func addFunctions(to database: Database) throws {
  try database.register(function: "initial") { (name: String) in String(name.prefix(1)) }
  try database.register(function: "fee", parameters: [.decimal], returns: .decimal) { arguments in
    .string((arguments[0].double ?? 0) > 10 ? "1.50" : "0.25")
  }
  print(try database.run("{ Account { who := initial(owner) fee := fee(balance) } }").jsonString)
}
