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
        const id = run.resourceId
        const body = JSON.stringify(content)
        const digest = run.digest(body)
        if ((await run.memory.read('case'))?.digest === digest) return
        // Until the answer arrives, the desk may hold this state or the previous one.
        await run.memory.write('case', { id })
        const headers = { 'content-type': 'application/json' }
        const answer = await exchange(http, run, `${url}/cases/${id}`, { method: 'PUT', headers, body })
        if (!answer.ok) throw new WriteFailed({ system: 'desk', what: 'case', resourceId: id, failure: answer })
        await run.memory.write('case', { id, digest })
        run.wrote({ type: 'Case', id })
      },
    }),
  }
}

const caseToDesk = defineHandler({
  name: 'case-to-desk',
  on: ['prior_authorization.status_change', 'benefit_verification.status_change'],
  async handle(context) {
    const { kind, resource } = context
    const result = context.kind === 'prior_authorization' ? context.resource.outcome?.result : undefined
    // The compiler cannot see the systems that this integration lists.
    const desk = listedSystem(context, 'desk') as Desk
    await desk.putCase({ kind, status: resource.status, result: result ?? null })
  },
})

/** Odd: a desk of its own behind `exchange`, which forgets a case before it sends it, and remembers it after the answer. */
export const integration = defineIntegration({
  settings: ownSettings,
  systems: ({ settings }: Given<typeof ownSettings>) => ({
    ehr: ehrFrom(settings),
    pharmacy: pharmacyFrom(settings),
    desk: deskAt(settings.DESK_URL),
  }),
  handlers: [...shippedHandlers, caseToDesk],
})
