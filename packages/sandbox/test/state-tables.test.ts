import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { benefitVerificationRows } from '../src/benefit-verification/states.ts'
import { clinicalQualificationRows } from '../src/clinical-qualification/states.ts'
import { paStatusRows } from '../src/pa-status/states.ts'
import { wayTo } from '../src/platform/next-steps.ts'
import { priorAuthorizationRows } from '../src/prior-authorization/states.ts'
import { prescriptionTransferRows, publicStatus } from '../src/prior-authorization/transfer-states.ts'
import { providerOutreachRows } from '../src/provider-outreach/states.ts'
import { control, startSandbox } from './play.ts'
import { benefitVerification, clinicalQualification, ndpSubmission, paStatus, priorAuthorization } from './requests.ts'

type Started = Awaited<ReturnType<typeof startSandbox>>
type Workflow = 'delegated' | 'non_delegated'

/** A new resource: how a test pushes its machine over HTTP, and the state that the resource shows. */
interface Subject {
  id: string
  push(to: string): request.Test
  read(): Promise<unknown>
}

interface Table {
  name: string
  rows: readonly { from: string; to: string }[]
  initial: string
  workflow?: Workflow
  /** Event types of entering a state, the activity log apart. */
  events: (to: string) => string[]
  /** What the resource shows in a state. Default: the state. */
  shows?: (state: string) => unknown
  create(started: Started): Promise<Subject>
}

async function createAt({ sandbox, create, read }: Started, path: string, body: object): Promise<Subject> {
  const id = await create(path, body)
  return {
    id,
    push: (status) => control(sandbox, 'post', `/resources/${id}/push`, { status }),
    read: async () => (await read(`${path}/${id}`)).status,
  }
}

const ofPriorAuthorization = (workflow: Workflow): Table => ({
  name: `a PA in a ${workflow} organization`,
  rows: priorAuthorizationRows.filter(({ when }) => workflow === 'non_delegated' || when !== 'isNonDelegated'),
  initial: 'created',
  workflow,
  events: () => ['prior_authorization.status_change'],
  create: (started) => createAt(started, '/prior-authorization', priorAuthorization()),
})

const ofBenefitVerification: Table = {
  name: 'a BV',
  rows: benefitVerificationRows,
  initial: 'pending',
  events: (to) => (to === 'cancelled' ? [] : ['benefit_verification.status_change']),
  create: (started) => createAt(started, '/benefit-verification', benefitVerification()),
}

const ofTransfer: Table = {
  name: 'a prescription transfer',
  rows: prescriptionTransferRows,
  initial: 'waiting',
  events: () => ['prior_authorization.prescription_transfer_change'],
  shows: (state) => Object.entries(publicStatus).find(([one]) => one === state)?.[1],
  async create({ sandbox, create, read }) {
    const prescription_message_id = `rx-${sandbox.truth().prior_authorizations.length}`
    const ndp_submission = { ...ndpSubmission, prescription_message_id }
    const id = await create('/prior-authorization', priorAuthorization({ ndp_submission }))
    for (const status of ['processing', 'awaiting_outcome', 'completed']) sandbox.controls.push(id, status)
    return {
      id,
      push: (state) => control(sandbox, 'post', `/prior-authorization/${id}/transfer`, { state }),
      read: async () => (await read(`/prior-authorization/${id}`)).prescription_transfer.status,
    }
  },
}

const ofOutreach: Table = {
  name: 'an outreach attempt',
  rows: providerOutreachRows,
  initial: 'created',
  // The first answer cancels the other attempt.
  events: (to) => Array(to === 'responded' ? 2 : 1).fill('prior_authorization.provider_outreach_change'),
  async create({ sandbox, create }) {
    const { mock_result: _, provider, ...others } = priorAuthorization()
    const body = { ...others, provider: { ...provider, fax: '555-0100' }, provider_outreach: { enabled: true } }
    const pa = await create('/prior-authorization', body)
    const id = sandbox.controls.outreach(pa)[0]?.id ?? ''
    return {
      id,
      push: (status) => control(sandbox, 'post', `/resources/${id}/push`, { status }),
      read: async () => sandbox.controls.outreach(pa)[0]?.state,
    }
  },
}

const tables: readonly Table[] = [
  ofPriorAuthorization('delegated'),
  ofPriorAuthorization('non_delegated'),
  ofBenefitVerification,
  ofTransfer,
  ofOutreach,
  {
    name: 'a PA status check',
    rows: paStatusRows,
    initial: 'pending',
    events: () => [],
    create: (started) => createAt(started, '/pa-status', paStatus()),
  },
  {
    name: 'a clinical qualification',
    rows: clinicalQualificationRows,
    initial: 'pending',
    events: () => [],
    shows: () => undefined,
    create: (started) => createAt(started, '/clinical-qualification', clinicalQualification()),
  },
]

const namesIn = ({ rows, initial }: Table) => [...new Set([initial, ...rows.flatMap(({ from, to }) => [from, to])])]
const reachableIn = (table: Table) => namesIn(table).filter((state) => wayTo(table.rows, table.initial, state))
const legalFrom = ({ rows }: Table, from: string) =>
  [...new Set(rows.filter((row) => row.from === from).map(({ to }) => to))].toSorted()

const startFor = ({ workflow = 'delegated' }: Table) =>
  startSandbox({ organizations: [{ id: 'org_a', workflow, pharmacy: true }] })

/** A new resource that was pushed to the state. */
async function createIn(table: Table, state: string, started: Started): Promise<Subject> {
  const subject = await table.create(started)
  for (const step of wayTo(table.rows, table.initial, state) ?? []) await subject.push(step).expect(200)
  return subject
}

describe.each(tables)('the state table of $name', (table) => {
  const { events, shows = (state) => state } = table

  it.each(reachableIn(table))(
    'from %s: a push to each legal state emits its events, any other is refused with the legal ones',
    async (from) => {
      const legal = legalFrom(table, from)
      const started = await startFor(table)
      for (const to of namesIn(table)) {
        const { push, read } = await createIn(table, from, started)
        expect({ from, shown: await read() }).toEqual({ from, shown: shows(from) })
        const { status, body } = await push(to)
        if (legal.includes(to)) {
          const emitted: string[] = body.data.events.map(({ type }: { type: string }) => type)
          const told = emitted.filter((type) => type !== 'prior_authorization.activity_log_updated')
          expect({ from, to, status, told }).toEqual({ from, to, status: 200, told: events(to) })
          expect(await read()).toEqual(shows(to))
        } else {
          const { code, legal: named } = body.error
          expect({ from, to, status, code }).toEqual({ from, to, status: 409, code: 'illegal_transition' })
          expect(named.toSorted()).toEqual(legal)
          expect(await read()).toEqual(shows(from))
        }
      }
    },
  )
})

describe.each([ofPriorAuthorization('delegated'), ofPriorAuthorization('non_delegated')])('$name', (table) => {
  it.each(reachableIn(table))('in %s: its page offers exactly the legal moves', async (from) => {
    const started = await startFor(table)
    const { id } = await createIn(table, from, started)
    const { text } = await request(started.sandbox.app).get(`/_sandbox/pages/cases/${id}`).expect(200)
    const offered = [...text.matchAll(/aria-label="Move to (\w+)"/g)].map(([, to]) => to)
    expect(new Set(offered)).toEqual(new Set(legalFrom(table, from)))
  })

  it.each(reachableIn(table))('in %s: cancel ends it for good, unless it has ended before', async (from) => {
    const started = await startFor(table)
    const { sandbox, call, read } = started
    const path = `/prior-authorization/${(await createIn(table, from, started)).id}`
    const before = await read(path)
    const answer = await call('post', `${path}/cancel`, { cancellation_reason: 'not needed' })
    if (legalFrom(table, from).length > 0) {
      expect([answer.status, answer.body]).toEqual([200, { status: 'success' }])
      expect(await read(path)).toMatchObject({ status: 'cancelled', outcome: { result: 'Pending' } })
    } else {
      expect([answer.status, answer.body]).toEqual([400, { detail: expect.stringContaining(`status ${from}`) }])
      expect(await read(path)).toEqual(before)
    }
    expect(sandbox.controls.step()).toBeUndefined()
  })
})

it.each(reachableIn(ofBenefitVerification))(
  'a BV in %s: cancel answers 204 twice and ends only a pending one',
  async (from) => {
    const started = await startFor(ofBenefitVerification)
    const { id, read } = await createIn(ofBenefitVerification, from, started)
    for (const _ of [1, 2])
      expect((await started.call('post', `/benefit-verification/${id}/cancel`).expect(204)).text).toBe('')
    expect(await read()).toBe(from === 'pending' ? 'cancelled' : from)
    expect(started.sandbox.controls.step()).toBeUndefined()
  },
)

it.each(reachableIn(ofTransfer))('a prescription transfer in %s: cancel ends a running one alone', async (from) => {
  const started = await startFor(ofTransfer)
  const { id, read } = await createIn(ofTransfer, from, started)
  const isRunning = legalFrom(ofTransfer, from).length > 0
  const { status } = await started.call('post', `/prior-authorization/${id}/prescription-transfer/cancel`)
  expect([from, status]).toEqual([from, from === 'completed' ? 400 : 200])
  expect(await read()).toBe(isRunning ? 'cancelled' : publicStatus[from as keyof typeof publicStatus])
})
