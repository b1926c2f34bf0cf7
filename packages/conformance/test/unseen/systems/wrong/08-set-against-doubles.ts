import { defineHandler } from '../../../../../../src/index.ts'
import type { System } from '../../../../../../src/connector.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { contentOf, integrationOf } from '../integration-of.ts'
import { openTable, table } from '../right/04-table.ts'

interface Log {
  insertDecision(row: ReturnType<typeof contentOf>): Promise<void>
}

function logAt(file: string): System<Log> {
  const log = openTable(
    file,
    'create table if not exists decision_log (reference text, status text, result text, valid_until text)',
  )
  const written = new Set<string>()
  return {
    open: (run) => ({
      async insertDecision(row) {
        const line = JSON.stringify(row)
        if (written.has(line)) return
        const { answered } = run.beginRequest('insert decision')
        log().prepare('insert into decision_log values (:reference, :status, :result, :valid_until)').run(row)
        answered()
        written.add(line)
        run.wrote({ type: 'Decision', id: row.reference })
      },
    }),
    async close() {
      log().close()
    },
  }
}

/** Wrong: a set in the process keeps a row from coming twice, until the next start. */
export const integration = integrationOf({
  ...table,
  systemAt: logAt,
  handlers: [
    defineHandler({
      name: 'decision-to-log',
      on: ['prior_authorization.status_change'],
      // The compiler cannot see which systems the integration lists.
      handle: (context) => (listedSystem(context, 'table') as Log).insertDecision(contentOf(context.resource)),
    }),
  ],
})
