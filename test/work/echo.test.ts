import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Api, createApi, defineHandler } from '#pawl'
import { PriorAuthorization } from '../../packages/client/src/schemas/prior-authorization.ts'
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { createIsEcho } from '../../src/work/echo.ts'
import { priorAuthorization } from '../../packages/sandbox/test/requests.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'
import type { EventRecord } from '../../packages/ledger/src/hot/event-record.ts'
import type { OwnChangeNote } from '../../packages/ledger/src/hot/own-changes.ts'

describe('a handler that cancels a PA', () => {
  let sandbox: Sandbox
  let gateway: LocalGateway
  let staff: Api
  let runs: string[]
  let id: string

  beforeEach(async () => {
    runs = []
    sandbox = createSandbox({ speed: 0, seed: 3 })
    const { url } = await sandbox.listen()
    const token = await sandbox.issueToken()
    const cancels = defineHandler({
      name: 'cancels',
      on: ['prior_authorization.status_change'],
      async handle({ resource, api }) {
        if (resource.outcome?.result !== 'Denied' && resource.priority === 3)
          await api.cancelPriorAuthorization(resource.id, 'Not needed any more.').catch(() => undefined)
      },
    })
    const watches = defineHandler({
      name: 'watches',
      on: ['prior_authorization.status_change', 'prior_authorization.message'],
      async handle({ resource, events }) {
        for (const { type, isEcho } of events)
          runs.push(`${type.split('.')[1]} ${resource.status}${isEcho ? ', an echo' : ''}`)
      },
    })
    gateway = await startLocalGateway(
      { handlers: [cancels, watches] },
      { API_BASE_URL: url, API_TOKEN: token, LEASE_MS: '3600000' },
    )
    staff = createApi({ baseUrl: url, token })
  })
  afterEach(async () => {
    await gateway.destroy()
    await sandbox.close()
  })

  const create = async (priority: number) => {
    const created = await staff.createPriorAuthorization(priorAuthorization({ priority }))
    id = created.id
  }
  const hear = async (status: string, eventType?: string) => {
    const seen = runs.length
    await deliver(gateway.url, envelope({ id, status }, eventType))
    await until('it was handled', async () => runs.length > seen && (await gateway.ledger.counts()).due === 0)
  }

  it('sees its own event marked as an echo, but no earlier or later one', async () => {
    await create(3)
    await hear('created')
    await hear('cancelled')
    await hear('cancelled', 'prior_authorization.message')
    await deliver(gateway.url, envelope({ id, status: 'cancelled', outcome: { detail: 'more' } }))
    await until('it was handled', () => runs.length === 4)
    expect(runs).toEqual([
      'status_change created',
      'status_change cancelled, an echo',
      'message cancelled',
      'status_change cancelled',
    ])
  })

  it('sees no echo if another party cancelled it, or its own call was refused', async () => {
    await create(0)
    await hear('created')
    await staff.cancelPriorAuthorization(id, 'The patient moved.')
    await hear('cancelled')
    await create(3)
    await staff.cancelPriorAuthorization(id, 'The patient moved.')
    await hear('created')
    await hear('cancelled')
    expect(runs.filter((run) => run.includes('echo'))).toEqual([])
  })
})

describe('an echo', () => {
  const pa = (fields: object = {}) => PriorAuthorization.parse({ id: 'pa_req_1', status: 'completed', ...fields })
  const event = (fields: Partial<EventRecord> = {}): EventRecord => {
    const type = 'prior_authorization.prescription_transfer_change'
    return { id: 2, type, receivedAt: 0, source: 'webhook', repeats: 0, ...fields }
  }
  const cancelTransfer: OwnChangeNote = { name: 'cancel_transfer', afterEventId: 1, at: 0 }
  const changePharmacy: OwnChangeNote = { name: 'change_pharmacy', value: '0123456', afterEventId: 1, at: 0 }
  const cancelled = pa({ prescription_transfer: { status: 'cancelled' } })
  const moved = pa({ ndp_submission: { preferred_pharmacy_ncpdp_id: '0123456' } })

  it('covers the event of a cancelled transfer', () => {
    const isEcho = createIsEcho([cancelTransfer], { resource: cancelled, previous: pa() })
    expect(isEcho(event())).toBe(true)
    expect(isEcho(event({ id: 1 }))).toBe(false)
    expect(isEcho(event({ type: 'prior_authorization.message' }))).toBe(false)
  })

  it('covers a changed pharmacy found by a poll', () => {
    const isEcho = createIsEcho([changePharmacy], { resource: moved, previous: pa() })
    expect(isEcho(event({ source: 'poll', type: 'prior_authorization.status_change' }))).toBe(true)
    expect(isEcho(event())).toBe(false)
  })

  it('requires the state that the call produces, not seen by the handler before', () => {
    const found = event({ source: 'poll' })
    for (const [note, resource, previous] of [
      [changePharmacy, pa({ ndp_submission: { preferred_pharmacy_ncpdp_id: '7654321' } }), pa()],
      [changePharmacy, moved, moved],
      [cancelTransfer, pa({ prescription_transfer: { status: 'completed' } }), pa()],
      [cancelTransfer, cancelled, cancelled],
      [{ ...cancelTransfer, name: 'of a later version' }, cancelled, pa()],
    ] as const)
      expect(createIsEcho([note], { resource, previous })(found)).toBe(false)
  })

  it('is marked for a handler that never ran before', () => {
    expect(createIsEcho([cancelTransfer], { resource: cancelled, previous: undefined })(event())).toBe(true)
  })
})
