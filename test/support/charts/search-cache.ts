import type { Held } from './chart-store.ts'

/**
 * As HAPI FHIR: the same search within a minute gives the matches found first, unless it is sent with `Cache-Control: no-cache`
 * (https://hapifhir.io/hapi-fhir/docs/server_jpa/configuration.html#search-result-caching, read 2026-11-28).
 */
export interface SearchCache {
  /** The matches that a search shows: those found now, or those of before; deleted ones are left out. */
  matches(query: string, cacheControl: string | undefined, found: Held[]): Held[]
}

const reusedForMs = 60_000

/** Makes the cache of one server. `read` shows a match as it is now. */
export function createSearchCache(read: (type: string, id: string) => Held | undefined): SearchCache {
  const known = new Map<string, { at: number; found: readonly Held[] }>()
  return {
    matches(query, cacheControl, found) {
      const cached = cacheControl?.includes('no-cache') === true ? undefined : known.get(query)
      if (cached !== undefined && Date.now() - cached.at < reusedForMs) {
        return cached.found.flatMap(({ resourceType, id }) => read(resourceType, id) ?? [])
      }
      known.set(query, { at: Date.now(), found })
      return found
    },
  }
}
