import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createForkTree, type ForkTree } from '../support/fork-tree.ts'
import { shippedIndex } from '../support/shipped-integration.ts'
import { readExamples, readPage } from './readme-examples.ts'

const shape = 'src/integration/shape-for-our-chart.ts'

/** A fax and a letter, filed by the fork's own integration, as the chart holds them. */
const tried = `import { expect, it } from 'vitest'
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

describe('the shape in docs/ehr.md, where the document says it lives', () => {
  let fork: ForkTree

  beforeAll(async () => {
    const examples = await readExamples('docs/ehr.md')
    const [, given = ''] = /```ts\nehr: (.*)\n```/.exec(await readPage('docs/ehr.md')) ?? []
    const index = `import { shapeForOurChart } from './shape-for-our-chart.ts'\n${shippedIndex.replace('fhirEhr(settings)', given)}`
    expect(index).toContain('{ shape: shapeForOurChart }')
    expect([...examples.keys()]).toEqual([shape])
    fork = await createForkTree(
      new Map([
        ...examples,
        ['src/integration/index.ts', index],
        ['src/integration/shape-for-our-chart.test.ts', tried],
      ]),
    )
  })
  afterAll(() => fork.destroy())

  it('passes the checks of the project: types, rooms, format', async () => {
    await fork.compile()
    await fork.run('depcruise', ['src', 'packages', 'templates', '--config', '.dependency-cruiser.mjs'])
    await fork.run('prettier', ['--check', shape])
  })

  it('is what the chart gets', async () => {
    expect(
      await fork.run('vitest', ['run', '--project', 'main', 'src/integration/shape-for-our-chart.test.ts']),
    ).toContain('1 passed')
  })
})
