import Foundation
import GQLite
import Testing

/// The public files of three data sets as they are published: each loads without a schema and answers.
@Suite struct PublicFileTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let file: String
    let query: String
    /// Worked out by other tools.
    let answer: String
    var testDescription: String { file }

    init(_ file: String, _ query: String, _ answer: String) {
      (self.file, self.query, self.answer) = (file, query, answer)
    }
  }

  static let cases: [Case] = [
    Case(
      "isocodes/raw/iso_15924.json", #"{ n: count(T15924) T15924(where: alpha_4 == "Zzzz") { name } }"#,
      #"{"n":182,"T15924":[{"name":"Code for uncoded script"}]}"#),
    Case(
      "isocodes/raw/iso_3166-1.json",
      #"{ n: count(T3166_1) T3166_1(where: alpha_2 == "ZW") { official_name numeric } }"#,
      #"{"n":249,"T3166_1":[{"official_name":"Republic of Zimbabwe","numeric":"716"}]}"#),
    Case(
      "isocodes/raw/iso_3166-2.json", #"{ n: count(T3166_2) t3166_2(code: "ZW-MW") { name type } }"#,
      #"{"n":5127,"t3166_2":{"name":"Mashonaland West","type":"Province"}}"#),
    Case(
      "isocodes/raw/iso_3166-3.json", #"{ n: count(T3166_3) T3166_3(where: alpha_4 == "ZRCD") { withdrawal_date } }"#,
      #"{"n":31,"T3166_3":[{"withdrawal_date":"1997-07-14"}]}"#),
    Case(
      "isocodes/raw/iso_4217.json", #"{ n: count(T4217) T4217(where: alpha_3 == "ZWL") { name } }"#,
      #"{"n":181,"T4217":[{"name":"Zimbabwe Dollar"}]}"#),
    Case(
      "isocodes/raw/iso_639-3.json", #"{ n: count(T639_3) T639_3(where: alpha_3 == "zzj") { inverted_name } }"#,
      #"{"n":7910,"T639_3":[{"inverted_name":"Zhuang, Zuojiang"}]}"#),
    Case(
      "isocodes/raw/iso_639-5.json", #"{ n: count(T639_5) T639_5(where: alpha_3 == "znd") { name } }"#,
      #"{"n":115,"T639_5":[{"name":"Zande languages"}]}"#),
    Case(
      "isocodes/raw/source.sqlite", #"{ n: count(T3166_2) m: count(T639_3) T4217(where: alpha3 == "ZWL") { name } }"#,
      #"{"n":5127,"m":7910,"T4217":[{"name":"Zimbabwe Dollar"}]}"#),
    Case(
      "swapi/raw/films.json", #"{ n: count(Film) film(id: 1) { title release_date } }"#,
      #"{"n":6,"film":{"title":"A New Hope","release_date":"1977-05-25"}}"#),
    Case(
      "swapi/raw/people.json", #"{ n: count(People) people(id: 5) { name height homeworld } }"#,
      #"{"n":82,"people":{"name":"Leia Organa","height":"150","homeworld":2}}"#),
    Case(
      "swapi/raw/planets.json", #"{ n: count(Planet) planet(id: 1) { name climate } }"#,
      #"{"n":60,"planet":{"name":"Tatooine","climate":"arid"}}"#),
    Case(
      "swapi/raw/species.json", #"{ n: count(Species) species(id: 1) { name people } }"#,
      #"{"n":37,"species":{"name":"Human","people":[66,67,68,74]}}"#),
    Case(
      "swapi/raw/starships.json", #"{ n: count(Starship) starship(id: 2) { MGLT pilots } }"#,
      #"{"n":36,"starship":{"MGLT":"60","pilots":[]}}"#),
    Case(
      "swapi/raw/transport.json", #"{ n: count(Transport) transport(id: 2) { name } }"#,
      #"{"n":75,"transport":{"name":"CR90 corvette"}}"#),
    Case(
      "swapi/raw/vehicles.json", #"{ n: count(Vehicle) vehicle(id: 4) { vehicle_class pilots } }"#,
      #"{"n":39,"vehicle":{"vehicle_class":"wheeled","pilots":[]}}"#),
    Case(
      "swapi/raw/source.sqlite", #"{ n: count(People) films: count(Films) People(where: f contains "Leia") { id } }"#,
      #"{"n":82,"films":6,"People":[{"id":5}]}"#),
    Case(
      "chinook/raw/Chinook_Sqlite.sqlite",
      #"""
      {
        n: count(Track) Artist(orderBy: [-count(albums.tracks), name], limit: 2) { name n: count(albums.tracks) }
        playlist(id: 5) { n: count(tracks) } sum: sum(Invoice, total)
      }
      """#,
      #"{"n":3503,"Artist":[{"name":"Iron Maiden","n":213},{"name":"U2","n":135}],"playlist":{"n":1477},"sum":2328.60}"#
    ),
  ]

  @Test("a file, as it is published", arguments: cases) func file(_ published: Case) throws {
    guard let shared = Folders.shared else {
      print("skipped: there is no folder of shared data beside the checkout")
      return
    }
    let database = Database()
    try database.load(path: shared.appending(path: "data/\(published.file)").path)
    #expect(try database.query(published.query).jsonString == published.answer)
  }

  @Test("the fixtures together relate to each other") func together() throws {
    guard let shared = Folders.shared else {
      print("skipped: there is no folder of shared data beside the checkout")
      return
    }
    let database = Database()
    try database.load(path: shared.appending(path: "data/swapi/raw/*.json").path)
    let query = "{ film(id: 1) { n: count(starships) planets { name } } species(id: 1) { people { name } } }"
    #expect(
      try database.query(query).jsonString
        == #"{"film":{"n":8,"planets":[{"name":"Tatooine"},{"name":"Alderaan"},{"name":"Yavin IV"}]},"#
        + #""species":{"people":[{"name":"Dormé"},{"name":"Dooku"},{"name":"Bail Prestor Organa"},{"name":"Jocasta Nu"}]}}"#
    )
  }
}
