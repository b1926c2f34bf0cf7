import { isDeepStrictEqual } from 'node:util'
import type { Identifier } from 'fhir/r4.js'

/** Collects what is not as it must be. */
export interface Differences {
  /** Notes a difference unless both are the same. */
  expect(this: void, what: string, actual: unknown, expected: unknown): void
  readonly found: string[]
}

/** Makes an empty collection; `show` says how a value is shown in it. */
export function createDifferences(show = showInFull): Differences {
  const found: string[] = []
  return {
    found,
    expect(what, actual, expected) {
      if (!isDeepStrictEqual(actual, expected)) found.push(`${what} is ${show(actual)}, not ${show(expected)}`)
    },
  }
}

function showInFull(value: unknown): string {
  if (value === undefined) return 'absent'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Whether a chart's resource is the one of that kind about the service's resource. */
export function isAbout(resource: { identifier?: Identifier[] | undefined }, kind: string, id: string): boolean {
  return (resource.identifier ?? []).some(({ system, value }) => system?.endsWith(`/${kind}`) && value === id)
}
