import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { FailureGroup } from '../ledger/ledger.ts'

/** Stands in addresses for "at no system". */
export const noSystem = '-'

const Word = z.string().max(200).optional().catch(undefined)

/** Which failed work to show or to retry, as the addresses of pages and their forms say it. */
export const FailureFilter = z.object({
  state: z.enum(['parked', 'due']).optional().catch(undefined),
  handler: Word,
  system: Word,
  error: Word,
})
export type FailureFilter = z.infer<typeof FailureFilter>

/** The groups that a filter lets through. */
export function filterGroups(groups: readonly FailureGroup[], filter: FailureFilter): FailureGroup[] {
  const isWanted = (wanted: string | undefined, value: string) =>
    wanted === undefined || wanted === '' || wanted === value
  return groups.filter(
    ({ state, handler, system, errorCode }) =>
      isWanted(filter.state, state) &&
      isWanted(filter.handler, handler) &&
      isWanted(filter.system, system === '' ? noSystem : system) &&
      isWanted(filter.error, errorCode),
  )
}

/** A filter as the query of an address, with more parameters where given; empty where nothing is filtered. */
export function queryOf(filter: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] satisfies [string, string]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

/** The filter that lets exactly one group through. */
export function filterOf({ state, handler, system, errorCode }: FailureGroup): FailureFilter {
  return { state, handler, system: system === '' ? noSystem : system, error: errorCode }
}

/** Names the state of the groups that a page showed: another one once anything in them failed, was retried or succeeded. */
export function stampOf(groups: readonly FailureGroup[]): string {
  const facts = groups.map((group) => [
    group.state,
    group.handler,
    group.system,
    group.errorCode,
    group.count,
    group.newest,
  ])
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url')
}

/** Pieces of work in all of these groups. */
export function totalOf(groups: readonly FailureGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0)
}
