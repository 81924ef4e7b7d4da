/// The one table of prices, in units of ``Cost``.
///
/// The origin of each is the measured loop named behind it (nanoseconds an item, one million items, baseline x86-64),
/// divided by the 0.4 ns of a unit.
package enum CostModel {
  /// A fixed-width cell in a sequential batch: 0.33 ns with its share of masks.
  package static let sequentialCell = 1.0
  /// Visiting a live row of a scan without testing anything: the share of a liveness bitmap.
  package static let scanRow = 0.25
  /// One probe of a hash index: 13 ns, 25 ns with the posting run.
  package static let hashProbe = 50.0
  /// Entering a row in the table of a hash join: its key, a probe, its place among the rows of the key.
  package static let hashBuild = 60.0
  /// One descent of a B-tree: 37 to 180 ns.
  package static let btreeProbe = 375.0
  /// The same for each binary digit of the number of entries, where small trees matter.
  package static let btreeStep = 18.0
  /// One entry of a B-tree's leaf or of a posting run, copied out: 0.5 to 1 ns.
  package static let indexEntry = 2.0
  /// A cell of a row that is not next to the last one, in a large type: 5 to 10 ns, a cache miss shared by a prefetched
  /// block.
  package static let gatheredCell = 18.0
  /// The same where it is in the second-level cache: 1.6 ns. In between it grows with each doubling of the rows.
  package static let nearCell = 4.0
  package static let cellStep = 1.4
  /// Rows whose cells are in that cache.
  package static let nearRows = 16_384.0

  /// Returns the price of a cell of a row that is not next to the last one, in a type of so many rows.
  package static func gatheredCell(among rows: Double) -> Double {
    var price = nearCell
    var reached = nearRows
    while reached < rows, price < gatheredCell {
      price += cellStep
      reached *= 2
    }
    return min(price, gatheredCell)
  }
  /// How much dearer a gathered cell is where rows come in an order of their own, as from a walk: 18 ns for two columns
  /// of a million rows.
  package static let scatteredShare = 1.5
  /// The key of a text, or of a value that is computed, in an order: 12 ns.
  package static let wideKey = 25.0
  /// Beyond this share of a type's rows, gathering is as good as reading in sequence.
  package static let denseShare = 0.25
  /// Sorting, per element and binary digit of the count: 1.5 ns for row ids.
  package static let rowSortStep = 4.0
  /// The same for keys of columns, which are gathered and compared: 3 to 4 ns.
  package static let keySortStep = 9.0
  /// Offering a row to a top-n heap: one comparison in most cases, 1.5 ns.
  package static let heapOffer = 4.0
  /// Testing or setting a bit of a row set: 1 ns.
  package static let bit = 3.0
  /// Clearing a 64-bit word of a row set before it is filled, or passing an empty one: 20 bytes a nanosecond.
  package static let bitmapWord = 1.0
  /// Following one edge: 0.63 ns in a run, 5 ns where each run lies elsewhere.
  package static let edge = 3.0
  package static let edgeRun = 12.0
  /// Calling the machinery of a nested set for one parent: batches are shared, so little remains.
  package static let setPerParent = 20.0
  /// Looking at the bounds of a page to pass it over: 5 ns, a cache miss where pages are not shared.
  package static let pageBounds = 12.0
  /// Types with fewer entities get no order of ids: they are sorted in less time than it takes to tell.
  package static let leastOrderedIDs = 4_096.0
  /// How many times dearer a plan must be than one with an order of ids, so that the order is built.
  package static let orderingGain = 4.0
  /// Starting an access path for an execution.
  package static let start = 25.0

  /// Comparing a text: 2 to 3 ns with the prefix of the view.
  package static let textCompare = 8.0
  /// Searching a 34-byte text: 20 ns a row, `memmem`.
  package static let textSearch = 50.0
  package static let likeMatch = 75.0
  /// PCRE2 with JIT: 149 ms for 1 M messages.
  package static let regexMatch = 375.0
  /// Finding and looking up the words of a text: 60 ns a word.
  package static let textMatch = 2_200.0
  /// Reading an entity of five properties for code of the embedding program, and asking it: 0.5 µs.
  package static let hostTest = 1_500.0
  /// One posting of a full-text index that is scored or intersected: 3 ns.
  package static let posting = 7.0
  /// Looking up a pattern's trigrams in one segment of an index, of 65,536 rows, and intersecting them: 1 to 5 µs.
  package static let trigramSegment = 2_500.0
  /// The same in a small index.
  package static let trigramLookup = 400.0
  /// Arithmetic, conversions, calls.
  package static let scalarOperation = 2.0
  /// Wide or allocating scalars: case mapping, JSON access.
  package static let wideOperation = 60.0
}

/// Guesses where nothing is known. The figures are those that textbooks settled on, rounded.
package enum DefaultSelectivity {
  /// An equality on a column without an index: one in twenty. Larger than the usual 0.005, because what has no index
  /// and is asked for by value is most often a status or a kind.
  package static let equality = 0.05
  /// Rows that agree with one of them in a number or a time that entities are ordered by.
  package static let tie = 0.001
  /// `<` and its kin: the textbook's third.
  package static let inequality = 1.0 / 3
  /// A closed range: the textbook's quarter of a half, rounded.
  package static let range = 0.1
  package static let prefix = 0.05
  package static let textSearch = 0.1
  package static let fullText = 0.01
  package static let trigram = 0.01
  package static let boolean = 0.5
  package static let other = 0.25
  /// A list parameter's elements, and a limit's value, until they are known.
  package static let listCount = 10.0
  package static let limit = 20.0
  /// How far a walk to the end is taken to go, and how many entities a shortest path has: six degrees.
  package static let walkDepth = 8.0
  package static let pathLength = 6.0
  /// How many groups a grouping makes for each parent; its keys are not counted.
  package static let groups = 100.0
}
