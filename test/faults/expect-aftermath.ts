import { expect } from 'vitest'
import { expectOrderly, readChart, readJournal } from './journal.ts'
import { findBehind, findUnstored, openLedgerRows, untilNothingIsDue } from '../support/ledger-rows.ts'
import type { FaultWorld } from './fault-world.ts'

export interface Expected {
  /** Resources that must end parked, and no others. */
  parked?: readonly string[]
  /** Resources on which a second process may begin while the first is held up and cannot know. It must not write any more, though. */
  mayOverlap?: (id: string) => boolean
  /** Keys that seal the ledger. */
  sealingKeys?: readonly Uint8Array[]
  /** How long all may take, in milliseconds. */
  withinMs?: number
}

const firstColumn = (row: Record<string, unknown>) => String(Object.values(row)[0])

/** Waits until all work is done, then fails unless every promise was kept: nothing acknowledged is missing, every resource is in sync or parked with a reason, none was worked on by two at once, no remembered effect ran twice. */
export async function expectAftermath(world: FaultWorld, expected: Expected = {}): Promise<void> {
  const { parked = [], mayOverlap = () => false, withinMs = 60_000, sealingKeys = [] } = expected
  const { service, journalPath, leaseMs } = world
  await service.quiet()
  const ledger = await openLedgerRows(world.databaseUrl)
  const list = async (question: string) => (await ledger.ask(question)).map(firstColumn)
  try {
    await untilNothingIsDue(ledger, withinMs)
    expect(service.acknowledged.size).toBeGreaterThan(0)
    expect(await findUnstored(ledger, service.acknowledged, sealingKeys)).toEqual([])

    const ids = [...service.statuses.keys()].toSorted()
    expect((await list('select id from resources')).toSorted()).toEqual(ids)
    expect(await findBehind(ledger)).toEqual([])
    const withReason = `select id from work join resources on number = resource where state = 'parked' and error_code <> '' and error_message <> ''`
    expect((await list(withReason)).toSorted()).toEqual(parked.toSorted())

    const lines = readJournal(journalPath)
    expectOrderly(lines, { leaseMs, mayOverlap })
    const chart = readChart(lines)
    const isParked = new Set(parked)
    const free = ids.filter((id) => !isParked.has(id))
    expect(free.map((id) => [id, chart.get(id)])).toEqual(free.map((id) => [id, service.statuses.get(id)]))
  } finally {
    await ledger.close()
  }
}
