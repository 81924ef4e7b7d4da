/// A place for the selections of a fragment: what they are of, and what names mean there.
struct FragmentPlace {
  var parent: SelectionParent
  var environment: Environment
  /// Says whether an entity that is selected here may be of the fragment's type.
  var isThere = true
}
