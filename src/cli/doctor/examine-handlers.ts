import type { Kysely } from 'kysely'
import type { Tables } from '@pawl/ledger/tables'
import { countByHandler, readWorkGroups } from '@pawl/ledger/views/work-groups'
import type { AnyHandler } from '../../work/handler.ts'
import { describeWithoutHandler } from '@pawl/console/commands/without-handler'
import { type Finding, ok, warn } from './finding.ts'

const area = 'handlers'

/** Max rows to read: enough to see every active handler, and fast. */
const maxRows = 200_000

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
  const rows = await db
    .selectFrom(db.selectFrom('attempts').select('handler').orderBy('id', 'desc').limit(maxRows).as('some'))
    .select('handler')
    .distinct()
    .execute()
  if (rows.length === 0) return [...findings, ok(area, 'None ran yet: nothing was received.')]
  const seen = new Set(rows.map(({ handler }) => handler))
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
