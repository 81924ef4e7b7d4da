import GQLite

// A library of books inside a program: schema, data, a prepared query, an answer as Swift values.

let schema = """
  type Author {
    id: ID!
    name: String! @index
    books: [Book!]! @relation(inverse: "author")
  }

  type Book {
    id: ID!
    title: String!
    year: Int! @index
    author: Author! @relation(inverse: "books")
  }
  """

let authors = """
  {"id": 1, "name": "Mary Shelley"}
  {"id": 2, "name": "Jules Verne"}
  """

let books = """
  {"id": 10, "title": "Frankenstein", "year": 1818, "author": 1}
  {"id": 11, "title": "The Last Man", "year": 1826, "author": 1}
  {"id": 12, "title": "Twenty Thousand Leagues Under the Seas", "year": 1870, "author": 2}
  """

struct Answer: Decodable {
  struct Book: Decodable {
    let title: String
    let year: Int
  }
  struct Author: Decodable {
    let name: String
    let n: Int
    let books: [Book]
  }
  let Author: [Author]
}

let database = try Database(schema: schema)
try database.load([
  .ndjson(type: "Author", text: authors, name: "authors"),
  .ndjson(type: "Book", text: books, name: "books"),
])

let since = try database.prepare(
  """
  query Since($year: Int!) {
    Author(where: some(books, year >= $year), orderBy: name) {
      name
      n: count(books)
      books(where: year >= $year, orderBy: -year) { title year }
    }
  }
  """)

for year in [1820, 1860] {
  let answer = try since.run(["year": .int(Int64(year))])
  print(answer.jsonString)
  for author in try answer.decode(Answer.self).Author {
    let titles = author.books.map { "\($0.title) (\($0.year))" }
    print("\(author.name), \(author.n) in all:", titles.joined(separator: ", "))
  }
}

// An error says what is wrong and where.
do {
  _ = try database.prepare("{ Author { nmae } }")
} catch {
  print(error)
}

try showVariations(database)
try lookBack()
try edit()
try changeData()
try changeSchema()
try keepData()
try keepDataElsewhere()
try await followQueries()
try await passVariables(database)
