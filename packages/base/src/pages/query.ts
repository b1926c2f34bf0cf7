import { z } from 'zod'

/** An optional word in the query of an address; an invalid one is ignored. */
export const Word = z.string().trim().min(1).max(200).optional().catch(undefined)

/** Builds the query of an address from the parameters that are neither undefined nor empty; empty if there are none. */
export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] satisfies [string, string]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}
