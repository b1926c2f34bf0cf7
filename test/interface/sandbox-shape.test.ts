import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { testValues } from '../../packages/sandbox/src/platform/test-values.ts'
import { readFixture, RequestFixture, ResponseFixture, shapeFaults } from './spec-fixtures.ts'
import { createPriorAuthorization, prepared, startInterfaceWorld, type InterfaceWorld } from './interface-world.ts'

/** Where the sandbox shows more or less than the resource of the documents, each with the reason. */
const apart = [
  // Stands in the request; whether the resource shows it is not told.
  '.data.priority is not documented',
  // Shown on the resource, not in the request.
  '.data.patient.mrn is missing',
  // Stands in the request; not listed among the fields of the resource's evidence.
  '.data.evidence[].document_date is not documented',
]

/** `success`, but for a lookup, whose status tells of the provider. */
const statusIn = (body: unknown) =>
  typeof body === 'object' && body !== null && 'status' in body ? body.status : undefined

function faults(name: string, answer: { status: number; body: unknown }, others: readonly unknown[] = []): string[] {
  const { http_status, body } = readFixture(`responses/${name}.json`, ResponseFixture)
  const status = answer.status === http_status ? [] : [`${answer.status} instead of ${http_status}`]
  const said = statusIn(answer.body) === statusIn(body) ? [] : [`says ${String(statusIn(answer.body))}`]
  const shape = body === null && answer.body !== null ? ['a body'] : shapeFaults(answer.body, [body, ...others])
  return [...status, ...said, ...shape].filter((fault) => !apart.includes(fault))
}

describe('the sandbox answers in the documented shape', () => {
  let world: InterfaceWorld
  beforeEach(async () => {
    world = await startInterfaceWorld()
  })
  const create = async (file: string) => {
    const fixture = readFixture(`requests/${file}.json`, RequestFixture)
    const answer = await world.send(fixture.operation, { body: await prepared(world, fixture) })
    // Every create answers so, as the test that calls this shows.
    return { ...answer, id: (answer.body as { data: { id: string } }).data.id }
  }
  const read = (operation: string, id: string) => world.send(operation, { id })

  it('the status probe', async () => {
    expect(faults('status', await world.send('GET /status'))).toEqual([])
  })

  it('a benefit verification from creation to its end, and a cancelled one', async () => {
    const created = await create('benefit-verification/full')
    expect(faults('benefit-verification-create', created)).toEqual([])
    const get = () => read('GET /benefit-verification/{id}', created.id)
    expect(faults('benefit-verification-get', await get())).toEqual([])
    world.finish()
    expect(faults('benefit-verification-get', await get())).toEqual([])
    const other = await create('benefit-verification/full')
    const cancelled = await read('POST /benefit-verification/{id}/cancel', other.id)
    expect(faults('benefit-verification-cancel', cancelled)).toEqual([])
  })

  it('a clinical qualification', async () => {
    const created = await create('clinical-qualification/full')
    expect(faults('clinical-qualification-create', created)).toEqual([])
    world.finish()
    expect(faults('clinical-qualification-get', await read('GET /clinical-qualification/{id}', created.id))).toEqual([])
  })

  it.each(['full', 'coded', 'resubmission', 'mocked-denial', 'mocked-other', 'mocked-transfer-error'])(
    'the prior authorization %s from creation to its end',
    async (file) => {
      const created = await create(`prior-authorization/${file}`)
      expect(faults('prior-authorization-create', created)).toEqual([])
      const others = ['denied', 'failed', 'transfer-failed'].map((name) => ({
        data: readFixture(`resources/prior-authorization/${name}.json`, z.unknown()),
      }))
      const sparse =
        /^\.data\.(patient|provider|prescription|ndp_submission|resubmission_info|mock_result)\..* is missing$/
      const get = async () =>
        faults('prior-authorization-get', await read('GET /prior-authorization/{id}', created.id), others).filter(
          // A resource does not show fields that its request left out.
          (fault) => file === 'full' || !sparse.test(fault),
        )
      expect(await get()).toEqual([])
      world.finish()
      expect(await get()).toEqual([])
    },
  )

  it('the acts on a prior authorization', async () => {
    const id = await createPriorAuthorization(world, 'Approved')
    const feedback = { body: { category: 'speed', message: 'fine' }, id }
    const pharmacy = { body: { preferred_pharmacy_ncpdp_id: '0034567' }, id }
    const path = '/prior-authorization/{id}'
    expect(faults('prior-authorization-feedback', await world.send(`POST ${path}/feedback`, feedback))).toEqual([])
    expect(
      faults('prior-authorization-ndp-submission', await world.send(`PATCH ${path}/ndp-submission`, pharmacy)),
    ).toEqual([])
    const transfer = await world.send(`POST ${path}/prescription-transfer/cancel`, { id })
    expect(faults('prescription-transfer-cancel', transfer)).toEqual([])
    const cancel = { body: { cancellation_reason: 'changed' }, id }
    expect(faults('prior-authorization-cancel', await world.send(`POST ${path}/cancel`, cancel))).toEqual([])
  })

  it('the authorization of a provider', async () => {
    const { operation, body } = readFixture('requests/provider-authorize/full.json', RequestFixture)
    expect(faults('provider-authorize', await world.send(operation, { body }))).toEqual([])
    world.finish()
    const listed = await world.send('GET /authorized-providers')
    expect(listed.body).toHaveLength(1)
    // Which contact fields are listed is not told.
    const contact = ['[].address is not documented']
    expect(faults('authorized-providers', listed).filter((fault) => !contact.includes(fault))).toEqual([])
  })

  it.each([
    ['active', { npi: '1234567893' }],
    ['deactivated', { npi: testValues.deactivatedNpi }],
    ['not-found', { npi: '1' }],
    ['registry-error', { npi: testValues.registryErrorNpi }],
    ['search-results', { first_name: 'Exempla', last_name: 'Invented', state: 'MA' }],
  ])('the lookup of a provider that is %s', async (status, body) => {
    const answer = await world.send('POST /provider/lookup', { body })
    const more = /individual\.state|candidates\[\]\.state/
    expect(faults(`provider-lookup-${status}`, answer).filter((fault) => !more.test(fault))).toEqual([])
    expect(answer.body).toMatchObject({ status: status.replace('-', '_') })
  })

  it('the status checks that are announced', async () => {
    const created = await create('pa-status/full')
    expect(faults('pa-status-create', created)).toEqual([])
    world.finish()
    const more = /^\.data\.(object|prior_authorizations\[\]\.\w+) is not documented$/
    const answer = await read('GET /pa-status/{id}', created.id)
    expect(faults('pa-status-get', answer).filter((fault) => !more.test(fault))).toEqual([])
  })
})
