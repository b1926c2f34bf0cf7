import { describe, expect, it } from 'vitest'
import { nameOf, operations } from '../src/platform/operations.ts'
import { testValues } from '../src/platform/test-values.ts'
import { eventTypes } from '../src/webhooks/settings.ts'
import { content, files } from './files.ts'
import { asOrganization, evenDetours, startSandbox, startWebhook } from './play.ts'
import { benefitVerification, ndpSubmission, priorAuthorization } from './requests.ts'
import { readFixture, ResourceFixture } from '../../../test/interface/spec-fixtures.ts'
import { documentedValues, noteValues } from './values/documented.ts'
import * as scenes from './values/scenes.ts'

/** Schema of a shown resource, by the first segment of the path that creates it. */
const answers = {
  'prior-authorization': 'PriorAuthorization',
  'benefit-verification': 'BenefitVerification',
  'clinical-qualification': 'ClinicalQualification',
  'pa-status': 'PaStatusCheck',
} as const
type Collection = keyof typeof answers

const names = [
  ...Object.values(answers),
  'ProviderOutreach',
  'CreatedPriorAuthorization',
  'ProviderLookup',
  'AuthorizedProvider',
  'CodedError',
] as const

/** Values that no answer of the sandbox shows, each with the reason. */
const unreached: Record<string, string> = {}

/** A sandbox with an organization of every kind, whose answers and webhooks are noted. */
async function startNoting() {
  const seen = new Set<string>()
  const { receiver, webhook } = await startWebhook({ events: [...eventTypes] })
  const webhooks = [webhook]
  const { sandbox } = await startSandbox({
    organizations: [
      { id: 'org_p', pharmacy: true, webhooks },
      { id: 'org_n', workflow: 'non_delegated', webhooks },
    ],
    detours: evenDetours,
  })
  const [own, other] = [await asOrganization(sandbox, 'org_p'), await asOrganization(sandbox, 'org_n')]
  const created: [Collection, string][] = []
  const create = async (collection: Collection, body: object, by = own): Promise<string> => {
    const { body: answer } = await by.call('post', `/${collection}`, body).expect(200)
    if (collection === 'prior-authorization') noteValues(answer.data, 'CreatedPriorAuthorization', seen)
    created.push([collection, answer.data.id])
    return answer.data.id
  }
  const readAll = async () => {
    for (const [collection, id] of created) {
      const { status, body } = await own.call('get', `/${collection}/${id}`)
      if (status === 200) noteValues(body.data, answers[collection], seen)
    }
  }
  const noteWebhooks = async () => {
    await sandbox.settled()
    const types = new Set<string>()
    for (const { envelope } of receiver.received) {
      types.add(envelope.event_type)
      const [kind, change] = envelope.event_type.split('.')
      const isOutreach = change === 'provider_outreach_change'
      const name = isOutreach
        ? 'ProviderOutreach'
        : kind === 'benefit_verification'
          ? 'BenefitVerification'
          : 'PriorAuthorization'
      noteValues(envelope.data, name, seen)
    }
    return types
  }
  const finish = () => {
    while (sandbox.controls.step() !== undefined);
  }
  return { sandbox, seen, own, other, create, readAll, noteWebhooks, finish }
}
type Noting = Awaited<ReturnType<typeof startNoting>>

/** Acts of people on PAs: review, cancel, write, follow up. */
async function playPeople({ sandbox, own, other, create, finish }: Noting) {
  const { controls } = sandbox
  const denied = await create('prior-authorization', priorAuthorization({ mock_result: { result: 'Denied' } }))
  const unreviewed = await create('prior-authorization', priorAuthorization(), other)
  const ndp = (id: string) => ({ ndp_submission: { ...ndpSubmission, prescription_message_id: id } })
  const [given, stopped, waiting] = [
    await create('prior-authorization', priorAuthorization(ndp('rx-given'))),
    await create('prior-authorization', priorAuthorization(ndp('rx-stopped'))),
    await create('prior-authorization', priorAuthorization(ndp('rx-waiting'))),
  ]
  for (const direction of ['sent', 'received'] as const)
    controls.addMessage(denied, { content: 'x', direction, isResolution: direction === 'received' })
  for (const type of ['sent_fax', 'received_fax', 'follow_up_call'] as const) controls.addActivity(denied, { type })
  for (const id of [given, waiting])
    for (const status of ['processing', 'awaiting_outcome', 'validating_outcome', 'completed'])
      controls.push(id, status, status === 'completed' ? { outcome: { result: 'Approval' } } : {})
  controls.pushTransfer(waiting, 'attempted')
  controls.pushTransfer(waiting, 'awaiting_provider_response')
  await own.call('post', `/prior-authorization/${given}/prescription-transfer/cancel`).expect(200)
  await own.call('post', `/prior-authorization/${stopped}/cancel`, { cancellation_reason: 'x' }).expect(200)
  finish()
  const info = { previous_prior_auth_request_id: denied }
  const letter = { asset: content(files.pdf), title: 'Appeal', date_created: '2026-01-01T10:00:00Z' }
  await create(
    'prior-authorization',
    priorAuthorization({ resubmission_info: info, appeal_details: { appeal_letter: letter } }),
  )
  const bv = await create('benefit-verification', benefitVerification())
  await own.call('post', `/benefit-verification/${bv}/cancel`).expect(204)
  return unreviewed
}

/** Outreach over every channel, to every end. */
async function playOutreach({ sandbox, create, finish }: Noting) {
  const { mock_result: _, provider, ...request } = priorAuthorization()
  const asked = (fields: object = {}, more: object = {}) =>
    create('prior-authorization', {
      ...request,
      ...more,
      provider: { ...provider, fax: '555-0100', ...fields },
      provider_outreach: { enabled: true },
    })
  const [answered, expired, stopped] = [
    await asked({ email: 'max@example.com' }),
    await asked(),
    await asked({ fax: testValues.unreachableFax }),
  ]
  await asked({}, { is_training_data: true })
  for (const [id, last] of [
    [answered, 'responded'],
    [expired, 'expired'],
  ] as const)
    for (const { id: attempt } of sandbox.controls.outreach(id))
      for (const state of ['sent', 'delivered', last])
        if (sandbox.controls.outreach(id).find((one) => one.id === attempt)?.state !== 'cancelled')
          sandbox.controls.push(attempt, state)
  while (sandbox.controls.outreach(stopped)[0]?.state !== 'failed') sandbox.controls.step()
  sandbox.controls.cancel(stopped)
  sandbox.controls.cancel(await asked())
  finish()
}

/** A status check that finds PAs of every kind, and others that find none. */
async function playChecks({ create, finish, readAll }: Noting) {
  const { patient } = priorAuthorization()
  const sought = { ...patient, internal_id: 'sought' }
  for (const result of ['Approved', 'Denied', 'Other'] as const)
    await create('prior-authorization', priorAuthorization({ patient: sought, mock_result: { result } }))
  finish()
  await create('prior-authorization', priorAuthorization({ patient: sought, is_training_data: true }))
  await create('pa-status', { patient: sought, insurance_content: { rx_bin: '610011' } })
  await create('pa-status', { patient: sought, insurance_content: { member_number: 'M-1' } })
  const failed = { ...patient, internal_id: testValues.failedStatusCheck }
  await create('pa-status', { patient: failed, insurance_content: { member_number: 'M-1' } })
  await readAll()
  finish()
}

/** Every way in which a provider is found or not. */
async function playLookups({ own, seen }: Noting) {
  const named = { first_name: 'Max', state: 'OR' }
  for (const body of [
    { npi: '1234567893' },
    { npi: testValues.deactivatedNpi },
    { npi: testValues.registryErrorNpi },
    { ...named, last_name: testValues.unknownName },
    { ...named, last_name: 'Muster' },
  ])
    noteValues((await own.call('post', '/provider/lookup', body).expect(200)).body, 'ProviderLookup', seen)
}

/** Every documented code of every endpoint. */
async function playErrors({ sandbox, own, seen }: Noting) {
  const note = (body: unknown) => noteValues(body, 'CodedError', seen)
  const call = (operation: (typeof operations)[number]) =>
    // The compiler cannot see that lower-case methods are those of a call.
    own.call(operation.method.toLowerCase() as 'get', operation.route.replace('{id}', 'x'), {})
  for (const operation of operations)
    for (const code of operation.errors) {
      sandbox.controls.failNext({ operation: nameOf(operation), code })
      note((await call(operation)).body)
    }
  sandbox.controls.putQuotas({ 'read-endpoint-minute': 1 }, 'org_p')
  for (const _ of [1, 2]) note((await own.call('get', '/status')).body)
  sandbox.controls.putQuotas({ 'read-endpoint-minute': 100_000 }, 'org_p')
  for (const code of ['api_access_not_enabled', 'service_unavailable'] as const) {
    sandbox.controls.failNext({ operation: 'GET /status', code })
    note((await own.call('get', '/status')).body)
  }
  note((await own.call('get', '/status').set('authorization', 'Bearer nobody')).body)
}

describe('the schemas of the answers', () => {
  it.each([
    ['benefit-verification', 'errors', 'BenefitVerification', undefined],
    ['benefit-verification', 'values', 'BenefitVerification', undefined],
    ['benefit-verification', 'statuses', 'BenefitVerification', undefined],
    ['clinical-qualification', 'statuses', 'ClinicalQualification', 'half_qualified'],
    ['prior-authorization', 'outcomes', 'PriorAuthorization', undefined],
    ['prior-authorization', 'statuses', 'PriorAuthorization', undefined],
    ['prior-authorization', 'transfers', 'PriorAuthorization', 'pharmacy_flew_away'],
    ['pa-status', 'states', 'PaStatusCheck', 'novel'],
  ] as const)('list every value of the documents: %s/%s', (folder, file, name, undocumented) => {
    const documented = documentedValues([name])
    const pathOf = (value: string) => value.slice(0, value.indexOf(': '))
    const listed = new Set([...documented].map(pathOf))
    const shown = new Set<string>()
    for (const resource of readFixture(`resources/${folder}/${file}.json`, ResourceFixture))
      noteValues(resource, name, shown)
    const ofLists = [...shown].filter((value) => listed.has(pathOf(value)))
    expect(ofLists.length).toBeGreaterThan(2)
    const unlisted = ofLists.filter((value) => !documented.has(value))
    expect(unlisted.filter((value) => !value.endsWith(`: ${undocumented ?? ''}`))).toEqual([])
  })
})

describe('the sandbox', () => {
  it('reaches every documented value of an answer, by a request, a control or chance', async () => {
    const world = await startNoting()
    const { create, finish, readAll, noteWebhooks, seen } = world
    for (const request of scenes.priorAuthorizations()) await create('prior-authorization', request)
    for (const request of scenes.benefitVerifications()) await create('benefit-verification', request)
    for (const request of scenes.clinicalQualifications()) await create('clinical-qualification', request)
    await readAll()
    finish()
    await playPeople(world)
    await playOutreach(world)
    await playChecks(world)
    await readAll()
    await playLookups(world)
    await playErrors(world)
    expect(await noteWebhooks()).toEqual(new Set(eventTypes))
    const documented = [...documentedValues(names)]
    const missing = documented.filter((value) => !seen.has(value))
    const share = (100 * (documented.length - missing.length)) / documented.length
    process.stdout.write(`values of answers: ${documented.length} documented, ${share.toFixed(1)} % reached\n`)
    expect(missing).toEqual(Object.keys(unreached))
    expect(documented.length).toBeGreaterThan(400)
  })
})
