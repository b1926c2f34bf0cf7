import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectorContract } from '#pawl/testing'
import { membersOf, readSource } from '../../scripts/render-reference.ts'
import { subjectWith } from '../support/faulty-desk-subject.ts'
import { createForkTree, type ForkTree } from '../support/fork-tree.ts'
import { startCaseDesk } from '../support/case-desk.ts'
import { testEnvironment } from '../support/start-local-gateway.ts'
import { readExamples, readPage } from './readme-examples.ts'

const page = 'docs/connectors.md'

describe('the connector in docs/connectors.md, where the document says it lives', () => {
  let examples: Map<string, string>
  let fork: ForkTree

  beforeAll(async () => {
    examples = await readExamples(page)
    fork = await createForkTree(examples)
  })
  afterAll(() => fork.destroy())

  it('is under 80 lines', () => {
    expect(examples.get('src/integration/support-desk.ts')?.trimEnd().split('\n').length).toBeLessThan(80)
  })

  it('passes the checks of the project: types, lint, rooms, format', async () => {
    await fork.compile()
    await fork.run('oxlint', ['--type-aware', '--deny-warnings', 'src/integration'])
    await fork.run('depcruise', ['src', 'packages', 'templates', '--config', '.dependency-cruiser.mjs'])
    await fork.run('prettier', ['--check', ...[...examples.keys()].filter((path) => path.endsWith('.ts'))])
  })

  it('keeps the contract, by the test beside it, and so does the one without HTTP', async () => {
    const ofDesk = connectorContract(subjectWith()).length
    const ofFolder = connectorContract({ ...subjectWith(), faults: ['unavailable'], patientData: [] }).length
    expect(await fork.run('vitest', ['run', 'src/integration'])).toContain(`${ofDesk + ofFolder} passed`)
  })

  it('has its settings listed, and is asked by `pawl check`', async () => {
    await fork.run('vitest', ['run', 'test/settings/config.test.ts'])
    const desk = await startCaseDesk()
    const check = async (token: string) => {
      const env = {
        ...(await testEnvironment({ DATABASE_URL: 'file:unused.db' })),
        DESK_URL: desk.url,
        DESK_TOKEN: token,
      }
      return fork.run('tsx', ['--conditions=source', 'src/cli/pawl.ts', 'check'], env, { mayFail: true })
    }
    const found = await check('a-token')
    desk.fail('unauthorized')
    const refused = await check('an-old-token')
    await desk.close()
    expect(found).toMatch(/desk +ok +It answers\./)
    expect(refused).toMatch(/desk .*DESK_URL, DESK_TOKEN: HTTP 401\./)
  })
})

describe('docs/connectors.md', () => {
  it('explains each rule of the contract, by its name, and no other', async () => {
    const text = await readPage(page)
    const section = text.slice(text.indexOf('## The rules'), text.indexOf('## Memory'))
    const rows = [...section.matchAll(/^\| (.+?) +\| /gm)].map(([, name]) => name).slice(1)
    expect(rows.filter((name) => !/^-+$/.test(name ?? ''))).toEqual(
      connectorContract(subjectWith()).map(({ name }) => name),
    )
  })

  it.each([
    ['parameter', 'ContractSubject'],
    ['`start` resolves with', 'Stand'],
  ])('has each %s, as %s has it', async (title, type) => {
    const [, after = ''] = (await readPage(page)).split(`\n| ${title} `)
    const [table = ''] = after.split('\n\n')
    const names = [...table.matchAll(/^\| `(\w+\??)/gm)].map(([, name]) => name)
    const source = await readSource('packages/testing/src/contract/contract-subject.ts')
    expect(names).toEqual(membersOf(source, type).map(({ signature }) => /^\w+\??/.exec(signature)?.[0]))
  })
})
