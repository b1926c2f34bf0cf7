import type { Bundle } from 'fhir/r4.js'
import type { Outcome } from './outcome.ts'
import type { ChartProfile } from './profile.ts'

/** The pages of searches. */
export interface Pages {
  first(type: string, matches: readonly object[], size: number): Outcome
  /** The page that a link named; undefined where none did. */
  next(page: string): Outcome | undefined
}

/** Cuts results into pages of the profile's size, or of a smaller one that was asked for. */
export function createPages({ pageSize, saysWhatWasNotFound }: ChartProfile, base: string): Pages {
  const waiting = new Map<string, () => Outcome>()

  function pageOf(type: string, matches: readonly object[], from: number, size: number): Outcome {
    const shown = matches.slice(from, from + size)
    const entries = shown.map((resource) => ({
      fullUrl: `${base}/${type}/${String(Reflect.get(resource, 'id'))}`,
      resource,
      search: { mode: 'match' },
    }))
    const link = [{ relation: 'self', url: `${base}/${type}` }]
    if (from + size < matches.length && size > 0) {
      const name = `p${waiting.size + 1}`
      waiting.set(name, () => pageOf(type, matches, from + size, size))
      link.push({ relation: 'next', url: `${base}/${type}?_page=${name}` })
    }
    const notFound = saysWhatWasNotFound && matches.length === 0 ? [nothingFound] : []
    const body = {
      resourceType: 'Bundle',
      type: 'searchset' satisfies Bundle['type'],
      total: matches.length,
      link,
      ...(shown.length + notFound.length > 0 && { entry: [...entries, ...notFound] }),
    }
    return { status: 200, body }
  }

  return {
    first: (type, matches, size) => pageOf(type, matches, 0, Math.min(size, pageSize)),
    next: (page) => waiting.get(page)?.(),
  }
}

const nothingFound = {
  search: { mode: 'outcome' },
  resource: {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'warning', code: 'not-found', diagnostics: 'Resource request returns no results.' }],
  },
}
