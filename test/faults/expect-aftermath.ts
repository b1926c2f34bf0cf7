import { expect } from 'vitest'
import { expectOrderly, readChart, readJournal } from './journal.ts'
import { readStateDocument } from '../../packages/ledger/src/hot/state-document.ts'
import { findUnstored, type LedgerRows, openLedgerRows, untilNothingIsDue } from '../support/ledger-rows.ts'
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

/** Resources that no handler has run for, or that a handler is neither in sync with nor parked at. */
async function findBehind({ ask }: LedgerRows): Promise<unknown[]> {
  const work = await ask('select resource, handler, state from work')
  const rows = await ask(
    'select id, number, newest_event_id, document from resources left join states on number = resource',
  )
  const isBehind = ({ number, newest_event_id: newest, document }: Record<string, unknown>) => {
    const open = work.filter(({ resource }) => resource === number)
    // Columns of text and of a number, which PostgreSQL gives as text.
    const { handlers } = readStateDocument(document as string | null)
    const late = [...handlers].filter(([, { handledEventId }]) => handledEventId < Number(newest))
    return (
      handlers.size + open.length === 0 ||
      open.some(({ state }) => state === 'due') ||
      late.some(([name]) => !open.some(({ handler }) => handler === name))
    )
  }
  return rows.filter(isBehind).map(({ id }) => id)
}

const firstColumn = (row: Record<string, unknown>) => String(Object.values(row)[0])

/** Waits until all work is done, then fails unless every promise was kept: nothing acknowledged is missing, every resource is in step or parked with a reason, none was worked on by two at once, no remembered effect ran twice. */
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
