import type { Kysely } from 'kysely'
import { readNewest } from '@pawl/ledger/hot/journal-rows'
import type { Tables } from '@pawl/ledger/tables'
import { countByHandler } from '@pawl/ledger/views/work-group'
import { readWorkGroups } from '@pawl/ledger/views/work-groups'
import type { AnyHandler } from '../../work/handler.ts'
import { describeWithoutHandler } from '@pawl/console/commands/without-handler'
import { type Finding, ok, warn } from './finding.ts'

const area = 'handlers'

/** Max rows to read: enough to show every active handler, and fast. */
const maxRows = 20_000

/** Finds handlers that never ran, and work of removed handlers. */
export async function examineHandlers(db: Kysely<Tables>, handlers: readonly AnyHandler[]): Promise<Finding[]> {
  const names = handlers.map(({ name }) => name)
  const left = countByHandler(await readWorkGroups(db, { exceptHandlers: names }))
  const findings = left.map((each) =>
    warn(
      area,
      `${describeWithoutHandler(each)}.`,
      'Put that handler back under its name, or leave the work to retention.',
    ),
  )
  const seen = new Set<string>()
  let looked = 0
  for await (const { entry } of readNewest(db)) {
    for (const { handler } of entry.runs) seen.add(handler)
    if ((looked += 1) === maxRows) break
  }
  if (seen.size === 0) return [...findings, ok(area, 'None ran yet: nothing was received.')]
  const idle = handlers.filter(({ name }) => !seen.has(name))
  findings.push(
    ...idle.map(({ name, on }) =>
      warn(
        area,
        `${name} never ran: it follows ${on.join(' and ')}.`,
        'Make sure that the service sends these events to this pawl, or remove the handler.',
      ),
    ),
  )
  return findings.length > 0 ? findings : [ok(area, 'Each has run.')]
}
