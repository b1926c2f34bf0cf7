import { z } from 'zod'
import { defineHandler, defineIntegration, type Given } from '../../../../../src/index.ts'
import { ehrFrom, ehrSettings } from '@pawl/ehr'
import { pharmacyFrom, pharmacySettings } from '@pawl/pharmacy'
import {
  exchange,
  leanFetch,
  notConfigured,
  type System,
  systemClock,
  WriteFailed,
} from '../../../../../src/connector.ts'
import { listedSystem } from '../../../../../templates/listed-system.ts'
import { shippedHandlers } from '../../../../../templates/index.ts'

const ownSettings = {
  ...ehrSettings,
  ...pharmacySettings,
  DESK_URL: z.url().optional().describe('where the support desk is'),
}
const http = { fetch: leanFetch, clock: systemClock, timeoutMs: 5_000 }

interface Desk {
  putCase(content: object): Promise<void>
}

function deskAt(url: string | undefined): System<Desk> {
  if (url === undefined) return notConfigured('DESK_URL')
  return {
    open: (run) => ({
      async putCase(content) {
        const body = JSON.stringify(content)
        const digest = run.digest(body)
        if ((await run.memory.read('case'))?.digest === digest) return
        await run.memory.write('case', { id: run.resourceId, digest })
        const headers = { 'content-type': 'application/json' }
        const answer = await exchange(http, run, `${url}/cases/${run.resourceId}`, { method: 'PUT', headers, body })
        if (!answer.ok)
          throw new WriteFailed({ system: 'desk', what: 'case', resourceId: run.resourceId, failure: answer })
        run.wrote({ type: 'Case', id: run.resourceId })
      },
    }),
  }
}

const caseToDesk = defineHandler({
  name: 'case-to-desk',
  on: ['prior_authorization.status_change'],
  async handle(context) {
    const { status, outcome } = context.resource
    // The compiler cannot see the systems that this integration lists.
    const desk = listedSystem(context, 'desk') as Desk
    await desk.putCase({ status, result: outcome?.result ?? null, detail_code: outcome?.detail_code ?? null })
  },
})

/** Wrong: the connector remembers a case before the desk has it, so after a failed request the retry finds nothing to do. */
export const integration = defineIntegration({
  settings: ownSettings,
  systems: ({ settings }: Given<typeof ownSettings>) => ({
    ehr: ehrFrom(settings),
    pharmacy: pharmacyFrom(settings),
    desk: deskAt(settings.DESK_URL),
  }),
  handlers: [...shippedHandlers, caseToDesk],
})
