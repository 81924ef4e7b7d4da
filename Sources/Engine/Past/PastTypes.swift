import GQLBase
import GQLCatalog
import GQLStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A version of the past in which some types are as they were.
package struct PastTypes: Sendable {
  /// The version. Types that were not asked for may be as they are now.
  package var snapshot: Snapshot
  /// The errors of types that were asked for, and of which nothing is kept so far back.
  package var missing: [EntityTypeID: QueryError] = [:]
}

extension PastTypes {
  /// Reads the newest version that was committed at a time, for some types of the schema.
  ///
  /// Complexity: O(*n*) in the changes since then, and of types that only their history reaches in their changes.
  package init(
    of database: Database, at date: Date, reading types: (Catalog) -> Set<EntityTypeID>
  ) throws(QueryError) {
    let reader = PastReader(database: database)
    do throws(PastProblem) {
      guard let moment = PastMoment(date) else { throw PastProblem.noMoment }
      for _ in 0..<PastReader.mostAttempts {
        let catalog = database.catalog
        if let found = try reader.types(types(catalog), of: catalog, at: moment) {
          self = found
          return
        }
      }
      throw PastProblem.failed(QueryError(code: "storage-changed", "the schema has changed too often meanwhile"))
    } catch {
      throw error.error
    }
  }
}

extension PastReader {
  /// Nil where the schema is another one by now.
  fileprivate func types(
    _ types: Set<EntityTypeID>, of catalog: Catalog, at moment: PastMoment
  ) throws(PastProblem) -> PastTypes? {
    var (wanted, missing) = (types, [EntityTypeID: QueryError]())
    while !wanted.isEmpty {
      do throws(PastProblem) {
        let snapshot = try version(at: moment, reading: wanted).snapshot
        return snapshot.catalog.storesAlike(catalog) ? PastTypes(snapshot: snapshot, missing: missing) : nil
      } catch {
        guard case .noHistoryOf(let name, _, _, _) = error else { throw error }
        guard let type = wanted.first(where: { catalog[$0].name == name }) else { return nil }
        wanted.remove(type)
        missing[type] = error.error
      }
    }
    do throws(QueryError) {
      return PastTypes(snapshot: try NewestVersion(database: database).refreshed().snapshot, missing: missing)
    } catch {
      throw PastProblem.failed(error)
    }
  }
}
