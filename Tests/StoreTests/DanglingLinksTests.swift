import GQLCatalog
import Testing

@testable import GQLStore

/// Links that wait, against plain lists: every version keeps what it had.
@Suite struct DanglingLinksTests {
  private struct Entry: Hashable {
    var type: Int
    var key: Int64
    var link: DanglingLinks.Link
    var place: UInt32?

    func isSame(_ other: Entry) -> Bool { type == other.type && key == other.key && link == other.link }
    func at(_ place: UInt32?) -> Entry { Entry(type: type, key: key, link: link, place: place) }
  }
  private struct Stopped: Error {}

  private func link(_ random: inout SeededRandom) -> DanglingLinks.Link {
    DanglingLinks.Link(relation: RelationID(random.below(3)), source: UInt32(random.below(12)))
  }

  /// Takes everything, key by key.
  private func expectEqual(_ links: DanglingLinks, _ model: [Entry]) {
    var links = links
    #expect(links.count == model.count && links.isEmpty == model.isEmpty)
    for type in 0..<2 {
      for key in 0..<6 {
        var found: [DanglingLinks.Link] = []
        while let number = links.number(EntityTypeID(type), .int64, Cell(Int64(key))) {
          let (link, place) = links.takeFirst(number)
          found.append(link)
          let entry = model.first { $0.type == type && $0.key == key && $0.link == link }
          #expect(place == entry?.place)
          #expect(links.isWaiting(number) == (links.number(EntityTypeID(type), .int64, Cell(Int64(key))) != nil))
        }
        #expect(found == model.filter { $0.type == type && $0.key == key }.map(\.link))
      }
    }
    #expect(links.isEmpty)
  }

  @Test(arguments: 0..<10) func randomVersions(_ seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    var links = DanglingLinks()
    var model: [Entry] = []
    var kept: [(DanglingLinks, [Entry])] = []
    for step in 0..<600 {
      let entry = Entry(type: random.below(2), key: Int64(random.below(6)), link: link(&random))
      let (type, cell) = (EntityTypeID(entry.type), Cell(entry.key))
      switch random.below(10) {
      case 0..<6:
        // Places ascend, as those of a list that is written do.
        let last = model.filter { $0.link == entry.link }.compactMap(\.place).max()
        // Of the last relation only one may wait for a key.
        let isClaim = entry.link.relation == RelationID(2)
        let place = isClaim || random.below(3) == 0 ? nil : (last ?? 0) + UInt32(1 + random.below(60))
        links.add(entry.link, to: type, .int64, cell, place: place, isClaim: isClaim)
        if isClaim {
          model.removeAll { other in
            other.type == entry.type && other.key == entry.key && other.link.relation == entry.link.relation
              && !other.isSame(entry)
          }
        }
        if let known = model.firstIndex(where: { $0.isSame(entry) }) {
          if model[known].place == nil { model[known] = entry.at(place) }
        } else {
          model.append(entry.at(place))
        }
        let before = model.filter { $0.link == entry.link && $0.place.map { $0 < 100 } ?? false }
        #expect(links.index(entry.link, of: 100) == 100 - before.count)
        #expect(links.waitingCount(entry.link) == model.count { $0.link == entry.link && $0.place != nil })
      case 6, 7:
        links.remove(entry.link, to: type, .int64, cell)
        model.removeAll { $0.isSame(entry) }
      case 8:
        // Some keys are remembered again.
        let kept = random.below(2) == 0 ? [] : [(entry.type, entry.key), (0, 1), (1, 9)]
        links.removeAll(entry.link, except: kept.map { (EntityTypeID($0.0), .int64, Cell($0.1)) })
        model = model.compactMap { other in
          if other.link != entry.link { return other }
          return kept.contains { $0.0 == other.type && $0.1 == other.key } ? other.at(nil) : nil
        }
      default:
        if let number = links.number(type, .int64, cell) {
          let first = model.firstIndex { $0.type == entry.type && $0.key == entry.key }
          #expect(try links.takeFirst(number).link == model.remove(at: #require(first)).link)
        } else {
          #expect(!model.contains { $0.type == entry.type && $0.key == entry.key })
        }
      }
      if step % 100 == 99 { kept.append((links, model)) }
    }
    for (links, model) in kept { expectEqual(links, model) }
    // One type goes, one becomes both, and a relation is lost.
    let (mapped, lost) = links.mapped { type, link in
      type.index == 0 || link.relation == RelationID(2) ? [] : [(EntityTypeID(0), link), (EntityTypeID(1), link)]
    }
    let known = model.filter { $0.type == 1 && $0.link.relation != RelationID(2) }
    expectEqual(
      mapped, known.map { Entry(type: 0, key: $0.key, link: $0.link, place: $0.place) } + known)
    #expect(lost == Set(model.map(\.link)).subtracting(known.map(\.link)).count)
    #expect(model.isEmpty || stops { _ = try links.mapped { _, _ in throw Stopped() } })
    for (links, model) in kept { expectEqual(links, model) }
  }

  private func stops(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return false
    } catch { return error is Stopped }
  }
}
