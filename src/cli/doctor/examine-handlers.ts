import type { Kysely } from 'kysely'
import type { Tables } from '../../ledger/tables.ts'
import { countByHandler, readWorkGroups } from '../../ledger/views/work-groups.ts'
import type { AnyHandler } from '../../work/handler.ts'
import { describeWithoutHandler } from '../without-handler.ts'
import { type Finding, ok, warn } from './finding.ts'

const area = 'handlers'

/** Rows that are looked at: enough to see every handler at work, and soon read. */
const maxRows = 200_000

/** Finds handlers that never had anything to do, and work whose handler there is no more. */
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
    .selectFrom(db.selectFrom('progress').select('handler').limit(maxRows).as('some'))
    .select('handler')
    .distinct()
    .execute()
  if (rows.length === 0) return [...findings, ok(area, 'None had anything to do yet: nothing was received.')]
  const seen = new Set(rows.map(({ handler }) => handler))
  const idle = handlers.filter(({ name }) => !seen.has(name))
  findings.push(
    ...idle.map(({ name, on }) =>
      warn(
        area,
        `${name} never had anything to do: it follows ${on.join(' and ')}.`,
        'If you expect that, see that the service sends it to this pawl; if you never will, take the handler out.',
      ),
    ),
  )
  return findings.length > 0 ? findings : [ok(area, 'Each had something to do.')]
}
