/// The places of a list of which some wait.
///
/// Those that wait keep the *slot* that they had when they were added: what leaves the list before the last of them is
/// noted, and takes no place any more. So nothing of those that wait changes with it.
struct WaitingPlaces: Sendable {
  private var waiting = PlaceSet()
  private var gone = PlaceSet()

  /// How many wait.
  var count: Int { waiting.count }

  /// The slot of a place.
  func slot(of place: UInt32) -> UInt32 { PlaceSet.place(behind: Int(place), outside: gone) }
  /// The place of a slot.
  func place(of slot: UInt32) -> UInt32 { slot - UInt32(truncatingIfNeeded: gone.count(below: slot)) }
  /// How many stand before a place that do not wait.
  func index(of place: UInt32) -> Int { Int(place) - waiting.count(below: slot(of: place)) }

  mutating func insert(_ slot: UInt32) { waiting.insert(slot) }
  mutating func remove(_ slot: UInt32) { waiting.remove(slot) }

  /// What stood at a place does not any more. Precondition: it does not wait.
  mutating func close(place: UInt32) { close(slot(of: place)) }

  /// What stood behind so many that do not wait, and did not either, has left the list.
  mutating func close(index: Int) { close(PlaceSet.place(behind: index, outside: waiting, gone)) }

  /// The slots that take no place any more, ascending.
  var closedSlots: [UInt32] { gone.places }

  mutating func setClosed(opened: [UInt32], closed: [UInt32]) {
    for slot in opened { gone.remove(slot) }
    for slot in closed { gone.insert(slot) }
  }

  private mutating func close(_ slot: UInt32) { if waiting.reaches(slot) { gone.insert(slot) } }
}
