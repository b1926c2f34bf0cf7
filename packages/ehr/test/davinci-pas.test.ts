import { readFileSync } from 'node:fs'
import type { ClaimResponse } from 'fhir/r4.js'
import { expect, it } from 'vitest'
import { samplePriorAuthorization } from '../../../test/support/samples.ts'
import { startMappedChart } from './mapped-chart.ts'

const read = (name: string) =>
  // The file holds a ClaimResponse.
  JSON.parse(
    readFileSync(new URL(`../../../test/fixtures/davinci-pas/ClaimResponse-${name}.json`, import.meta.url), 'utf8'),
  ) as ClaimResponse

/** Every element of a resource by its path; extensions by their address. */
function elements(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => elements(each, path))
  if (typeof value !== 'object' || value === null) return [path]
  const { url } = value as { url?: string }
  const own = url === undefined ? path : `${path}(${url.split('/').at(-1)})`
  return Object.entries(value).flatMap(([name, each]) => (name === 'url' ? [own] : elements(each, `${own}.${name}`)))
}

/** Parts of the examples that pawl leaves out, and why. */
const leftOut: Readonly<Record<string, string>> = {
  '.id': "the chart's own",
  '.meta': 'conformance is not claimed',
  '.identifier.assigner': 'the service assigns the id, whose system says so',
  '.patient.reference': 'as in the example',
  '.insurer.reference': 'the service names the payer in words',
  '.requestor.reference': 'by NPI',
  '.request.reference': "by the service's id",
  '.extension(extension-claimResponseReviewer)': 'the service does not say who reviewed',
  '.item.extension(extension-itemRequestedServiceDate)': 'a request has none',
  '.item.extension(extension-itemPreAuthIssueDate)': 'the service does not say when it was issued',
  '.item.extension(extension-itemAuthorizedProvider)': 'the service does not say whom it authorizes',
  '.item.extension(extension-itemAuthorizedDetail)': 'the service does not say what differs from the request',
  '.item.extension(extension-administrationReferenceNumber)': "the service gives no payer's number",
  '.addItem': 'the service knows no item that was not requested',
  '.error': 'the service says in words why a request failed, without a code of X12',
  '.item.adjudication.extension(extension-reviewAction).extension(number)': "the service gives no payer's number",
  '.item.adjudication.extension(extension-reviewAction).extension(extension-reviewActionCode).valueCodeableConcept.coding.display':
    'the words of X12 are licensed',
}

const approved = {
  result: 'Approved',
  detail_code: 'approval',
  authorization_start_date: '2026-03-01',
  authorization_expiration: '2027-03-01',
}
const cases = [
  ['PractitionerRequestorResponseExample', 'completed', approved],
  ['PractitionerRequestorAdditionalContentResponseExample', 'completed', approved],
  ['RejectionResponseExample', 'completed', { result: 'Denied', detail_code: 'plan_exclusion' }],
  ['PractitionerRequestorPendingResponseExample', 'awaiting_outcome', undefined],
  ['ErrorResponseExample', 'failed', { result: 'Other', detail: 'The form was not accepted.' }],
] as const

it.each(cases)('a determination carries what %s does, where the service says it', async (name, status, outcome) => {
  const pa = samplePriorAuthorization({ status, ...(outcome && { outcome }) })
  const example = read(name)
  const { chart, open } = await startMappedChart()
  try {
    await open().putPriorAuthorization(pa)
  } finally {
    await chart.close()
  }
  const response = chart.sent.find((sent) => sent.resourceType === 'ClaimResponse')
  const told = new Set(elements(response))
  const missing = elements(example).filter(
    (path) =>
      !told.has(path) &&
      !Object.keys(leftOut).some((each) => path === each || path.startsWith(`${each}.`) || path.startsWith(`${each}(`)),
  )
  expect(missing).toEqual([])
  // PAS forbids `queued`, by which charts tell a request that waits from one that is decided.
  expect(response?.outcome).toBe(status === 'awaiting_outcome' ? 'queued' : example.outcome)
  expect(response?.requestor).toEqual({
    type: 'Practitioner',
    identifier: { system: 'http://hl7.org/fhir/sid/us-npi', value: '1234567893' },
  })
  expect(response?.meta).toBeUndefined()
})
