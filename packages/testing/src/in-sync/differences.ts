import { isDeepStrictEqual } from 'node:util'
import type { Identifier } from 'fhir/r4.js'

/** Collects deviations from expected values. */
export interface Differences {
  /** Records a difference unless both are equal. */
  expect(this: void, what: string, actual: unknown, expected: unknown): void
  readonly found: string[]
}

/** `show` formats a value. */
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

/** Whether a chart's resource carries pawl's identifier of that kind and id. */
export function isAbout(resource: { identifier?: Identifier[] | undefined }, kind: string, id: string): boolean {
  return (resource.identifier ?? []).some(({ system, value }) => system?.endsWith(`/${kind}`) && value === id)
}
