import request from 'supertest'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { DraftAsked, RequestDraft } from '../../client/src/schemas/request-draft.ts'
import { priorAuthorization } from '../../sandbox/test/requests.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { createReadingBound } from '../src/reading-bound.ts'
import { postForm } from './post-form.ts'

let gateway: LocalGateway
let sent: unknown[]
const gap = {
  field: 'provider.npi',
  from: 'Practitioner.identifier',
  why: 'absent',
  says: 'the chart has none',
} as const

/** A chart whose prescription lacks the NPI; `stopped` is no longer active. */
async function draft({ given, prescription }: DraftAsked): Promise<RequestDraft | undefined> {
  if (prescription === 'unknown') return undefined
  if (prescription === 'stopped')
    return {
      isComplete: false,
      request: {},
      missing: [{ ...gap, field: 'prescription', says: 'not active' }],
      leftOut: [],
    }
  const npi = given['provider.npi']
  if (npi === undefined) return { isComplete: false, request: {}, missing: [gap], leftOut: [] }
  const body = priorAuthorization()
  return { isComplete: true, request: { ...body, provider: { ...body.provider, npi } }, missing: [], leftOut: [] }
}

beforeEach(async () => {
  sent = []
  const { api } = createScriptedApi()
  const createPriorAuthorization = async (body: unknown) => {
    sent.push(body)
    return { id: 'pa_req_started' }
  }
  gateway = await startLocalGateway({
    api: { ...api, createPriorAuthorization },
    handlers: [],
    systems: { ehr: { open: () => ({}), draft } },
    log: captureLog().log,
  })
})
afterEach(() => gateway.destroy())

const hiddenIn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
const post = (address: string, fields: object) => postForm(gateway.adminUrl, address, fields)
const open = async () => hiddenIn((await request(gateway.adminUrl).get('/start').expect(200)).text)
const asked = { kind: 'prior_authorization', prescription: 'order-1' }

it('a page asks for the gaps of a draft, shows it, sends what it showed, and leads to the resource', async () => {
  const form = { ...(await open()), ...asked }
  const { text: gaps } = await post('/start', form).expect(200).expect('cache-control', 'no-store')
  expect(gaps).toContain('name="given.provider.npi"')
  expect(gaps).not.toContain('Send to the service')
  const { text: shown } = await post('/start', { ...hiddenIn(gaps), 'given.provider.npi': '1234567893' }).expect(200)
  expect(shown).toContain('Send to the service')
  expect(shown).toContain('1234567893')
  await post('/start/send', hiddenIn(shown)).expect(303).expect('location', '/resources/pa_req_started')
  expect(sent).toMatchObject([{ provider: { npi: '1234567893' } }])
  const again = await post('/start', form).expect(200)
  expect(again.text).toContain('was already started from this prescription')
  await post('/start/send', hiddenIn(shown)).expect(409)
  expect(sent).toHaveLength(1)
  // The refused start read the chart, too.
  const actor = { name: 'maria@ops-1', via: 'admin' }
  const details = { kind: 'prior_authorization', prescription: 'MedicationRequest/order-1' }
  const trail = (await gateway.ledger.readAudit({}, 20)).filter(({ action }) => action.startsWith('request.'))
  expect(trail).toMatchObject([
    { actor, action: 'request.draft', details },
    { actor, action: 'request.draft', details },
    { actor, action: 'request.start', details },
    { actor, action: 'request.draft', details },
    { actor, action: 'request.draft', details },
  ])
})

it('offers nothing for a prescription that only the chart can mend, and refuses an unknown one and a foreign form', async () => {
  const form = await open()
  const { text } = await post('/start', { ...form, ...asked, prescription: 'stopped' }).expect(200)
  expect(text).toContain('not active')
  expect(text).not.toContain('type="submit">Look again')
  await post('/start', { ...form, ...asked, prescription: 'unknown' }).expect(404)
  await post('/start', { ...form, ...asked, prescription: 'a/b' }).expect(400)
  await post('/start', { ...form, ...asked, token: 'guessed' }).expect(403)
})

it('a person reads at most 30 prescriptions of the chart within an hour, and any of these again', async () => {
  const form = await open()
  const look = async (prescription: string) => (await post('/start', { ...form, ...asked, prescription })).status
  for (let n = 1; n <= 30; n += 1) expect(await look(`order-${n}`)).toBe(200)
  const { status, text } = await post('/start', { ...form, ...asked, prescription: 'order-31' })
  expect([status, text.includes('30 prescriptions within an hour')]).toEqual([429, true])
  await post('/start/send', { ...form, ...asked, prescription: 'order-31', stamp: 'guessed' }).expect(429)
  expect(await look('order-1')).toBe(200)
  const drafted = await gateway.ledger.readAudit({ action: 'request.draft' }, 100)
  expect(drafted).toHaveLength(31)
  const refused = await gateway.ledger.readAudit({ action: 'access.refuse' }, 100)
  expect(refused.map(({ details }) => details)).toEqual([
    { route: '/api/requests/draft', needs: 'at most 30 prescriptions within an hour' },
  ])
})

it('a person reads at most 30 prescriptions within any hour, also where some were read before', () => {
  let now = 0
  const { take } = createReadingBound(() => now)
  const read = (from: string) =>
    Array.from({ length: 30 }, (_, n) => take({ name: 'maria', via: 'admin', auth: 'password' }, `${from}-${n}`))
  const [all, none] = [Array(30).fill('taken'), ['refused', ...Array(29).fill('refused again')]]
  expect(read('order')).toEqual(all)
  now += 59 * 60_000
  expect(read('order')).toEqual(all)
  now += 2 * 60_000
  expect(read('another')).toEqual(none)
  now += 59 * 60_000
  expect(read('another')).toEqual(all)
})

it('the trail names the patient of a draft and of a start by the digest that a search for the patient records', async () => {
  await gateway.destroy()
  gateway = await startLocalGateway(
    {
      handlers: [],
      systems: { ehr: { open: () => ({}), draft } },
      log: captureLog().log,
    },
    { SEALING_KEYS: Buffer.alloc(32, 7).toString('base64') },
  )
  const form = { ...(await open()), ...asked, 'given.provider.npi': '1234567893' }
  const { text } = await post('/start', form)
  // A service that does not answer.
  await post('/start/send', hiddenIn(text)).expect(({ status }) => expect(status).toBeGreaterThanOrEqual(500))
  await post('/start/send', { ...hiddenIn(text), stamp: 'guessed' }).expect(409)
  await post('/start', { ...form, 'given.patient.internal_id': 'his-own' })
  await gateway.ledger.findPatient(
    { value: priorAuthorization().patient.internal_id },
    { actor: { name: 'nora', via: 'admin' } },
  )
  const [found] = await gateway.ledger.readAudit({ action: 'patient.find' }, 1)
  const patient = found?.details.patient
  expect(patient).toMatch(/.{20}/)
  const trail = (await gateway.ledger.readAudit({}, 20)).filter(({ action }) => action.startsWith('request.'))
  expect(trail.map(({ action, details }) => [action, details.patient, details.number])).toEqual([
    ['request.draft', patient, undefined],
    ['request.start', patient, undefined],
    ['request.draft', patient, undefined],
    ['request.draft', patient, 'given'],
  ])
})
