import { readFileSync } from 'node:fs'
import type { Coverage, FhirResource, Medication, MedicationRequest } from 'fhir/r4.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { leanFetch } from '../../../base/src/net/fetch.ts'
import { type FhirServer, startFhirServer } from '../../../testing/src/services/fhir-server.ts'
import { staticToken } from '../../src/fhir/auth/token-provider.ts'
import { createFhirEhr } from '../../src/fhir/fhir-ehr.ts'
import { startingScopes } from '../../src/fhir/starting/chart-drafts.ts'

let fhir: FhirServer
let prescription: string
beforeAll(async () => {
  fhir = await startFhirServer()
  prescription = await fhir.prescribe()
})
afterAll(() => fhir.close())

const kind = 'prior_authorization'
const { signal } = new AbortController()

/** The chart, whose requests are noted by type and token; one type may be refused. */
function chartThatRefuses(refused?: string) {
  const asked: string[] = []
  const fetch: typeof leanFetch = (url, init) => {
    const type = new URL(url).pathname.replace(/^\/fhir\/R4\//, '').split('/')[0] ?? ''
    asked.push(`${type} ${new Headers(init?.headers).get('authorization')}`)
    return type === refused ? Promise.resolve(new Response('{}', { status: 403 })) : leanFetch(url, init)
  }
  const draftTokens = { ...staticToken('for-drafts'), scopes: startingScopes }
  const tokens = { ...staticToken('for-writes'), scopes: 'system/Task.crus' }
  const identifierBase = 'https://hospital.example/ids'
  return { asked, ehr: createFhirEhr({ baseUrl: fhir.url, identifierBase, tokens, draftTokens, fetch }) }
}

it('a draft reads with a token of its own, within the scopes that it asks for', async () => {
  const { asked, ehr } = chartThatRefuses()
  expect(await ehr.draft?.({ kind, prescription, given: {} }, signal)).toMatchObject({ isComplete: true })
  const types = new Set(asked.map((each) => each.split(' ', 1)[0]))
  expect([...types].filter((type) => !startingScopes.split(' ').includes(`system/${type}.rs`))).toEqual([])
  expect(asked.filter((each) => !each.endsWith(' Bearer for-drafts'))).toEqual([])
})

it.each(['MedicationRequest', 'Patient', 'Practitioner', 'Coverage', 'Condition'])(
  'the refusal of a draft names the missing right to read %s',
  async (type) => {
    const { ehr } = chartThatRefuses(type)
    await expect(ehr.draft?.({ kind, prescription, given: {} }, signal)).rejects.toThrow(`system/${type}.rs`)
  },
)

it.each(['.', '..', '../Patient', ''])('a draft of the prescription %j asks the chart nothing', async (id) => {
  const { asked, ehr } = chartThatRefuses()
  expect(await ehr.draft?.({ kind, prescription: id, given: {} }, signal)).toBeUndefined()
  expect(asked).toEqual([])
})

it('the check names the scopes of drafts beside the others', async () => {
  const report = await chartThatRefuses().ehr.check?.(AbortSignal.timeout(20_000))
  expect(report?.findings).toContain(`Scopes to start requests: ${startingScopes}`)
})

it('docs/starting.md has them', () => {
  const page = readFileSync('docs/starting.md', 'utf8')
  expect(page).toContain(`\`${startingScopes}\``)
})

describe('a draft of a prescription', () => {
  const terminology = 'http://terminology.hl7.org/CodeSystem'
  const Draft = z.object({
    request: z.looseObject({
      provider: z.looseObject({ npi: z.string() }),
      insurance_content: z.looseObject({ member_number: z.string().optional() }),
      diagnoses: z.array(z.object({ code: z.string() })),
    }),
    missing: z.array(z.looseObject({ field: z.string() })),
  })

  async function put(resource: FhirResource) {
    const answer = await fetch(`${fhir.url}/${resource.resourceType}/${resource.id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify(resource),
    })
    expect(answer.ok, await answer.clone().text()).toBe(true)
  }

  /** Adds a coverage that routes pharmacy claims, as `example-coverage` does. */
  const cover = (id: string, different: Partial<Coverage> = {}) =>
    put({
      resourceType: 'Coverage',
      id,
      status: 'active',
      subscriberId: `member of ${id}`,
      beneficiary: { reference: `Patient/${fhir.patientId}` },
      payor: [{ display: 'Another Plan' }],
      class: [{ type: { coding: [{ system: `${terminology}/coverage-class`, code: 'rxbin' }] }, value: '123456' }],
      ...different,
    })

  /** Drafts the sample's prescription with something different. */
  async function draftOf(different: Partial<MedicationRequest> = {}) {
    const [order] = (await fhir.search('MedicationRequest')).filter(({ id }) => id === prescription)
    if (order === undefined) throw new Error('The chart has no prescription.')
    await put({ ...order, id: 'different-order', ...different })
    const asked = { kind, prescription: 'different-order', given: {} } as const
    return Draft.parse(await chartThatRefuses().ehr.draft?.(asked, signal))
  }
  const memberOf = async (different?: Partial<MedicationRequest>) =>
    (await draftOf(different)).request.insurance_content.member_number

  it('goes through the role of its requester, and reads a Medication that it refers to', async () => {
    const sample = await draftOf()
    await put({
      resourceType: 'PractitionerRole',
      id: 'a-role',
      practitioner: { reference: 'Practitioner/example-prescriber' },
    })
    const [order] = await fhir.search('MedicationRequest')
    const [drug] = order?.contained?.filter((each): each is Medication => each.resourceType === 'Medication') ?? []
    if (drug === undefined) throw new Error('The prescription contains no Medication.')
    await put({ ...drug, id: 'a-drug' })
    expect(
      await draftOf({
        requester: { reference: 'PractitionerRole/a-role' },
        contained: [],
        medicationReference: { reference: 'Medication/a-drug' },
      }),
    ).toEqual(sample)
    expect(sample.missing).toEqual([])
  })

  it('takes the coverage that it names, and none of those that pawl wrote while the clinic keeps another', async () => {
    const own = await memberOf()
    const identifier = [{ system: 'https://hospital.example/ids/benefit-verification', value: 'bv_1' }]
    await cover('of-pawl', { order: 1, identifier })
    expect(await memberOf()).toBe(own)
    await cover('of-the-clinic', { order: 1 })
    expect(await memberOf()).toBe('member of of-the-clinic')
    expect(await memberOf({ insurance: [{ reference: 'Coverage/example-coverage' }] })).toBe(own)
    expect(await memberOf({ insurance: [{ reference: 'Coverage/of-pawl' }] })).toBe('member of of-pawl')
  })

  it('takes no coverage and no reason of another patient', async () => {
    const other = { reference: `Patient/${await fhir.admit({ internal_id: 'another', date_of_birth: '1990-01-01' })}` }
    await cover('of-another', { beneficiary: other })
    await put({
      resourceType: 'Condition',
      id: 'of-another',
      subject: other,
      code: { coding: [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code: 'Z99.9' }] },
    })
    const draft = await draftOf({
      insurance: [{ reference: 'Coverage/of-another' }],
      reasonReference: [{ reference: 'Condition/of-another' }, { reference: 'Condition/example-reason' }],
    })
    expect(draft.missing).toMatchObject([{ field: 'insurance_content.member_number', why: 'absent' }])
    expect(draft.request.diagnoses).toEqual((await draftOf()).request.diagnoses)
  })
})
