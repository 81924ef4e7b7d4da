import GQLCatalog

/// The one table of prices, in units of ``Cost``.
///
/// They are found by `swift run -c release regret --calibrate 1`, which plans random queries with changed prices and keeps
/// those with which the plans chosen are quickest. They lie near what the loops that they name take, in units of 0.4 ns.
package struct CostModel: Sendable, Hashable {
  /// Testing a fixed-width cell in a sequential batch, with its share of masks.
  package var sequentialCell = 1.6
  /// Visiting a live row of a scan without testing anything: the share of a liveness bitmap.
  package var scanRow = 0.2
  /// One probe of a hash index.
  package var hashProbe = 50.0
  /// Entering a row in the table of a hash join: its key, a probe, its place among the rows of the key.
  package var hashBuild = 60.0
  /// One descent of a B-tree.
  package var btreeProbe = 400.0
  /// The same where keys are texts, which are read from where they lie.
  package var textProbe = 400.0
  /// The same for each binary digit of the number of entries, where small trees matter.
  package var btreeStep = 18.0
  /// One entry of a B-tree's leaf, copied out.
  package var indexEntry = 1.0
  /// One entry of the run of a key in a hash index, which is copied as a whole.
  package var runEntry = 0.3
  /// One entry of an index that is walked in batches that grow, with its share of these.
  package var walkEntry = 3.0
  /// How many gathered cells an entry costs beside that where an index of several columns is walked backwards: rows that
  /// agree in the first are compared, one after the other.
  package var backwardCells = 10.0
  /// A cell of a row that is not next to the last one, in a large type.
  package var gatheredCell = 9.0
  /// Such a cell where it is in the second-level cache, and where it is in none. In between it grows with each doubling
  /// of the rows.
  package var nearCell = 5.5
  package var farCell = 27.0
  package var cellStep = 5.0
  /// Rows whose cells are in that cache.
  package var nearRows = 65_536.0

  /// Rows whose cells lie in one line of the cache.
  private static let rowsOfLine = 8.0

  /// Returns the price of a cell of each of so many rows that are not next to each other, of a type with `all` rows: it
  /// depends on the lines of the cache that they take together.
  func gatheredCell(of rows: Double, among all: Double) -> Double {
    gatheredCell(among: min(all, rows * Self.rowsOfLine))
  }

  /// Returns the price of a cell of a row that is not next to the last one, in a type of so many rows.
  package func gatheredCell(among rows: Double) -> Double {
    var price = nearCell
    var reached = nearRows
    while reached < rows, price < farCell {
      price += cellStep
      reached *= 2
    }
    return min(price, farCell)
  }

  /// Returns the price of beginning the batches in which so many rows are tested. Where few rows are enough, the first
  /// batches are small, and each is twice as large as the one before.
  func batches(_ rows: Double, needed: Double, conditions: Int) -> Double {
    guard conditions > 0, rows > 0 else { return 0 }
    var count = max(1, rows / Self.rowsOfPage)
    let first = max(needed, 16)
    if needed < Self.rowsOfPage, rows > first {
      count += min(logarithm(rows / first), logarithm(Self.rowsOfPage / first))
    }
    return count * (batch + Double(conditions) * batchCondition)
  }

  /// Binary digits of the number of entries from which on a tree is no small one.
  private static let digitsOfTree = 14.0

  /// Returns the price of finding what lies under a key, or within bounds, in a B-tree of so many entries whose first
  /// column is of a kind.
  func probe(_ first: ColumnKind, among rows: Double, isCompound: Bool = false) -> Double {
    let share = min(1, logarithm(rows) / Self.digitsOfTree)
    return share * (btreeProbe * (isCompound ? 2 : 1) + (first.isWide ? textProbe : 0))
  }

  /// Returns the price of intersecting two ascending lists: the longer one is searched for what stands in the shorter.
  package func intersecting(_ a: Double, _ b: Double) -> Double {
    let (short, long) = (min(a, b), max(a, b))
    return min(short + long, short * (1 + logarithm(long / max(short, 1)))) * intersectStep
  }

  /// The share of a near cell's price where rows ascend, so that the processor fetches ahead; and that of a gathered
  /// cell's where they come in an order of their own, as from a walk.
  package var ascendingShare = 0.8
  package var scatteredShare = 1.0
  /// How many times dearer the cell of a text is than a number's.
  package var wideCell = 1.7
  /// The key of a text, or of a value that is computed, in an order.
  package var wideKey = 25.0
  /// Sorting, per element and binary digit of the count: of row ids.
  package var rowSortStep = 4.0
  /// Sorting keys of columns, per element and digit, which are gathered and compared.
  package var keySortStep = 4.5
  /// Offering a row to a top-n heap: one comparison in most cases.
  package var heapOffer = 4.0
  /// Testing or setting a bit of a row set.
  package var bit = 1.0
  /// A step of the search in one ascending list for what stands in another.
  package var intersectStep = 2.25
  /// Clearing a 64-bit word of a row set before it is filled, or passing an empty one.
  package var bitmapWord = 2.0
  /// Following one edge: in a run, and where each run lies elsewhere.
  package var edge = 1.4
  package var edgeRun = 24.0
  /// Reading the target of a relation to one, of rows that ascend or are in a cache.
  package var toOneStep = 4.0
  /// Calling the machinery of a nested set for one parent: batches are shared, so little remains.
  package var setPerParent = 80.0
  /// Looking at the bounds of a page to pass it over.
  package var pageBounds = 120.0
  /// Beginning a batch of rows that are tested, and each condition for it.
  package var batch = 300.0
  package var batchCondition = 150.0
  /// A cell that a scan compares only to count rows.
  package var countedCell = 0.15
  static let rowsOfPage = 1024.0
  /// Types with fewer entities get no order of ids: they are sorted in less time than it takes to tell.
  package var leastOrderedIDs = 4_096.0
  /// How many times dearer a plan must be than one with an order of ids, so that the order is built.
  package var orderingGain = 4.0
  /// Starting an access path for an execution.
  package var start = 25.0
  /// Putting rows into an order, however few.
  package var startOfOrder = 50.0

  /// Comparing a text, with the prefix of the view.
  package var textCompare = 0.7
  /// Searching a short text for another.
  package var textSearch = 18.0
  package var likeMatch = 75.0
  /// A compiled regular expression.
  package var regexMatch = 375.0
  /// Finding and looking up the words of a text.
  package var textMatch = 2_200.0
  /// Reading an entity of five properties for code of the embedding program, and asking it.
  package var hostTest = 1_500.0
  /// One posting of a full-text index that is scored.
  package var posting = 7.0
  /// One posting where rows are only collected: whole blocks of common words are bits.
  package var collectedPosting = 2.0
  /// Looking up a pattern's trigrams in one segment of an index, of 65,536 rows, and intersecting them.
  package var trigramSegment = 2_500.0
  /// The same in a small index.
  package var trigramLookup = 400.0
  /// Arithmetic, conversions, calls.
  package var scalarOperation = 2.0
  /// Wide or allocating scalars: case mapping, JSON access.
  package var wideOperation = 60.0

  /// Conditions that are dearer are not tested on a sample.
  package var dearestSampled = 100.0

  package init() {}

  /// Every price, so that a tool can change them.
  package static var prices: [(name: String, path: WritableKeyPath<CostModel, Double> & Sendable)] {
    [
      ("sequentialCell", \.sequentialCell), ("scanRow", \.scanRow), ("hashProbe", \.hashProbe),
      ("hashBuild", \.hashBuild), ("btreeProbe", \.btreeProbe), ("btreeStep", \.btreeStep),
      ("textProbe", \.textProbe), ("indexEntry", \.indexEntry), ("runEntry", \.runEntry), ("walkEntry", \.walkEntry),
      ("gatheredCell", \.gatheredCell),
      ("nearCell", \.nearCell), ("farCell", \.farCell), ("cellStep", \.cellStep), ("nearRows", \.nearRows),
      ("ascendingShare", \.ascendingShare),
      ("scatteredShare", \.scatteredShare), ("wideCell", \.wideCell), ("wideKey", \.wideKey),

      ("rowSortStep", \.rowSortStep), ("keySortStep", \.keySortStep), ("heapOffer", \.heapOffer), ("bit", \.bit),
      ("intersectStep", \.intersectStep),
      ("bitmapWord", \.bitmapWord), ("edge", \.edge), ("edgeRun", \.edgeRun), ("toOneStep", \.toOneStep),
      ("setPerParent", \.setPerParent),
      ("pageBounds", \.pageBounds), ("batch", \.batch), ("batchCondition", \.batchCondition),
      ("countedCell", \.countedCell), ("start", \.start), ("startOfOrder", \.startOfOrder),
      ("textCompare", \.textCompare), ("textSearch", \.textSearch), ("textMatch", \.textMatch),
      ("posting", \.posting),
      ("collectedPosting", \.collectedPosting), ("trigramSegment", \.trigramSegment),
      ("trigramLookup", \.trigramLookup),
      ("scalarOperation", \.scalarOperation),
    ]
  }
}

/// The binary logarithm's whole part plus one: enough for a cost.
func logarithm(_ count: Double) -> Double {
  count <= 2 || !count.isFinite ? 1 : Double(count.exponent) + 1
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
  package static let matches = 0.01
  package static let trigramCandidates = 0.01
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
