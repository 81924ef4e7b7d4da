import GQLiteModels
import Testing
