import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { leanFetch } from '../../../src/base/net/fetch.ts'
import { type FhirServer, startFhirServer } from '../../../src/cli/dev/services/fhir-server.ts'
import { staticToken } from '../../../src/connectors/ehr/fhir/auth/token-provider.ts'
import { createFhirEhr } from '../../../src/connectors/ehr/fhir/fhir-ehr.ts'
import { startingScopes } from '../../../src/connectors/ehr/fhir/starting/chart-drafts.ts'

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

it('the check names the scopes of drafts beside the others', async () => {
  const report = await chartThatRefuses().ehr.check?.(AbortSignal.timeout(20_000))
  expect(report?.findings).toContain(`Scopes to start requests: ${startingScopes}`)
})

it('docs/starting.md has them', () => {
  const page = readFileSync('docs/starting.md', 'utf8')
  expect(page).toContain(`\`${startingScopes}\``)
})
