import { readdir } from 'node:fs/promises'
import { expect } from 'vitest'
import { readExamples, readPage, readReadmeExamples } from './readme-examples.ts'

/** A test of the fork's own, beside its handler. */
const ownTest = `import { expect, it } from 'vitest'
import { aPriorAuthorization, approved, expectIdempotent, runHandler } from '#pawl/testing'
import { invoiceApprovals } from './invoice-approvals.ts'

const to = aPriorAuthorization({ status: 'completed', outcome: approved() })
const systems = { billing: { invoice: async () => 'inv-1' } }

it('invoices an approval', async () => {
  const { calls } = await runHandler(invoiceApprovals, { to, systems })
  expect(calls).toEqual([{ system: 'billing', method: 'invoice', args: [to.id] }])
})

// Billing drops an invoice under an id that it has.
it('may run again', () => expectIdempotent(invoiceApprovals, { to, systems, repeatable: ['billing.invoice'] }))
`

/** Lines that must not compile in a handler of the fork. */
const ownTypes = `import { defineHandler } from '#pawl'

export const typed = defineHandler({
  name: 'typed',
  on: ['prior_authorization.status_change'],
  async handle({ billing, settings, ehr, resource, log }) {
    const id: string = await billing.invoice(resource.id)
    const url: string | undefined = settings.BILLING_URL
    await ehr.putPriorAuthorization(resource)
    // @ts-expect-error -- the port has no such method
    await billing.refund(id)
    // @ts-expect-error -- an undeclared setting
    void settings.BILLING_TOKEN
    void url
    log.info({ invoice_id: id, status: resource.status }, 'typed')
    // @ts-expect-error -- an undeclared log field
    log.info({ invoice: id }, 'typed')
  },
})
`

/** A fax and a letter, filed by the fork's own integration, as the chart holds them. */
const shapeTest = `import { expect, it } from 'vitest'
import { everything } from '../../test/support/charts/everything.ts'
import { mrnSystem, startChart } from '../../test/support/charts/start-chart.ts'
import { createTestRun } from '../../test/support/run-context.ts'
import { samplePriorAuthorization } from '../../test/support/samples.ts'
import integration from './index.ts'

it('shapes what the integration writes', async () => {
  const chart = await startChart(everything)
  chart.seedPatient({ mrn: 'MRN-0007', birthDate: '1970-01-31', name: 'Testa Sample' })
  const settings = { NODE_ENV: 'test', FHIR_BASE_URL: chart.url, FHIR_IDENTIFIER_BASE: 'https://clinic.example/id' }
  const patient = { FHIR_PATIENT_FIELD: 'mrn', FHIR_PATIENT_SYSTEM: mrnSystem }
  // Only the settings of the chart matter here.
  const systems = integration.systems({ settings: { ...settings, ...patient } } as never)
  const ehr = systems.ehr.open(createTestRun())
  const file = { at: '2026-03-01T09:00:00Z', contentType: 'application/pdf', content: Buffer.from('%PDF-1.7') }
  for (const kind of ['fax_received', 'letter'] as const)
    await ehr.putFile(samplePriorAuthorization(), { ...file, key: kind, kind, title: kind })
  const label = [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code: 'R' }] }]
  expect(chart.all('DocumentReference')).toEqual([
    expect.objectContaining({
      description: expect.stringContaining('fax_received'),
      securityLabel: label,
      category: [{ text: 'Fax' }],
    }),
    expect.objectContaining({ description: expect.stringContaining('letter'), securityLabel: label }),
  ])
  await chart.close()
})
`

const index = 'src/integration/index.ts'
const settings = 'src/integration/.env.example'

/** The example of each package's README, in a file that only the compiler reads; the client's is compiled with its package. */
async function readPackageExamples(): Promise<[path: string, text: string][]> {
  const names = (await readdir(new URL('../../packages/', import.meta.url))).filter((name) => name !== 'client')
  return Promise.all(
    names.map(async (name) => {
      const [, code = ''] = /```ts\n([^]*?)```/.exec(await readPage(`packages/${name}/README.md`)) ?? []
      return [`packages/${name}/src/readme.ts`, code] as [string, string]
    }),
  )
}

/** One fork with the examples of README, handlers, client, deploying, connectors, the first handler, testing, EHR and the packages, and tests of its own. */
export async function readForkOfPages(): Promise<Map<string, string>> {
  const readme = await readReadmeExamples()
  const connectors = await readExamples('docs/connectors.md')
  const [, shaped = ''] = /```ts\n(ehr: fhirEhr.*)\n```/.exec(await readPage('docs/ehr.md')) ?? []
  const ofDesk = connectors.get(index) ?? ''
  const linesOfDesk = (pattern: RegExp) => ofDesk.match(pattern)?.join('\n') ?? ''

  let text = readme.get(index) ?? ''
  for (const [from, to] of [
    [
      'import { z }',
      `${linesOfDesk(/^import .*esk\.ts'$/gm)}\nimport { shapeForOurChart } from './shape-for-our-chart.ts'\nimport { z }`,
    ],
    ['ehrFrom, ehrSettings', 'ehrSettings, fhirEhr'],
    ['const ownSettings = {', `const ownSettings = {\n${linesOfDesk(/^ {2}DESK_.*$/gm)}`],
    ['ehr: ehrFrom(settings)', shaped],
    ['  billing: billing', `${linesOfDesk(/^ {2}desk: .*$/gm)}\n  billing: billing`],
    ['invoiceApprovals],', 'invoiceApprovals, tellSupportDesk],'],
  ] as const) {
    expect(text).toContain(from)
    text = text.replace(from, () => to)
  }
  return new Map([
    ...readme,
    ...connectors,
    ...(await readExamples('docs/first-handler.md')),
    ...(await readExamples('docs/testing.md')),
    ...(await readExamples('docs/ehr.md')),
    ['src/integration/invoice-approvals.test.ts', ownTest],
    ['src/integration/shape-for-our-chart.test.ts', shapeTest],
    ['src/integration/typed.ts', ownTypes],
    ...(await readPackageExamples()),
    [index, text],
    [settings, `${readme.get(settings)}${connectors.get(settings)}`],
  ])
}
