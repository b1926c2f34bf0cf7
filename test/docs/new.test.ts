import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addNewCommand } from '../../packages/dev/src/commands/new-command.ts'
import { createForkTree, type ForkTree } from '../support/fork-tree.ts'

/** The fork in this folder. */
const placeIn = (root: string) => ({
  root,
  integration: 'src/integration/index.ts',
  templates: join(root, 'templates'),
  isProject: false,
})

describe('pawl new, in a fork', () => {
  let fork: ForkTree
  beforeAll(async () => {
    fork = await createForkTree(new Map())
  })
  afterAll(() => fork.destroy())

  const read = (path: string) => readFile(join(fork.path, path), 'utf8')

  /** Runs the command with answers to what it asks; without any, no person sits at the terminal. */
  async function pawl(args: string[], answers?: string[]): Promise<string> {
    const lines: string[] = []
    const prompt = async (question: string) => {
      lines.push(question)
      return answers?.shift() ?? ''
    }
    const program = new Command()
    const print = (line: string) => void lines.push(line)
    addNewCommand(program, { print, place: placeIn(fork.path), prompt: answers && prompt })
    await program.parseAsync(['new', ...args], { from: 'user' })
    return lines.join('\n')
  }

  it('handler copies a template with its test, lists it in place of the shipped one, and says what is next', async () => {
    const printed = await fork.run('tsx', [
      '--conditions=source',
      'src/cli/pawl.ts',
      'new',
      'handler',
      'prior-authorization-to-ehr',
      'our-chart',
    ])
    expect(printed).toBe(`edited  src/integration/index.ts
written src/integration/our-chart.ts
written src/integration/our-chart.test.ts
Next: npx vitest run src/integration/our-chart.test.ts
      npm run check
`)
    expect(await read('src/integration/our-chart.ts')).toContain(`name: 'our-chart',`)
    expect(await read('src/integration/index.ts')).toContain(
      `...shippedHandlers.filter(({ name }) => name !== 'prior-authorization-to-ehr'), ourChart]`,
    )
  })

  it('handler begins with the smallest template where none is named, and replaces nothing with it', async () => {
    await pawl(['handler', 'our-own-way'])
    expect(await read('src/integration/our-own-way.ts')).toContain(`name: 'our-own-way',`)
    await pawl(['handler', 'blank', 'our-log'])
    expect(await read('src/integration/index.ts')).not.toContain(`'blank'`)
  })

  it('handler leaves where it is what the template shares, or keeps beside it', async () => {
    await pawl(['handler', 'staff-work-queue', 'our-queue'])
    expect(await read('src/integration/our-queue.ts')).toContain(
      `from '../../templates/staff-work-queue/next-actions.ts'`,
    )
    await pawl(['handler', 'resubmission-draft', 'our-drafts'])
    expect(await read('src/integration/our-drafts.ts')).toContain(
      `from '../../templates/resubmission-draft/draft-resubmission.ts'`,
    )
  })

  it('asks for what was not told', async () => {
    const printed = await pawl(['handler'], ['staff-task-for-prior-authorization', 'our-desk'])
    expect(printed).toMatch(/^Template \(.*messages-to-ehr.*; none: blank\)\? \nName, /)
    await pawl(['handler'], ['', 'our-least'])
    expect(await read('src/integration/our-least.ts')).toContain('the smallest handler')
    expect(await pawl(['connector'], ['lab-archive'])).toContain('written src/integration/lab-archive.ts')
    expect(await read('src/integration/.env.example')).toMatch(/^# .* the lab archive; .*\nLAB_ARCHIVE_URL=\n$/)
  })

  it('connector spells its name as each place does, and takes nothing but what forks are promised', async () => {
    await pawl(['connector', 'care-desk'])
    const connector = await read('src/integration/care-desk.ts')
    expect(connector).toContain('export function careDesk({ CARE_DESK_URL: url }')
    expect(connector).toContain('System<CareDesk>')
    expect(connector).toContain(`.describe('address of the care desk')`)
    expect(connector).toContain(`system: 'care desk'`)
    const test = await read('src/integration/care-desk.test.ts')
    expect([...test.matchAll(/ from '(.+)'/g)].map(([, path]) => path)).toEqual([
      'vitest',
      '#pawl/testing',
      './care-desk.ts',
    ])
    for (const text of [connector, test]) expect(text).not.toMatch(/record.?store/i)
  })

  it('refuses what it cannot do, and leaves everything as it was', async () => {
    const before = await read('src/integration/index.ts')
    const handler = await read('src/integration/our-chart.ts')
    for (const [args, reason] of [
      [['handler'], 'Pass the argument name'],
      [['handler', 'messages-to-ehr'], 'Pass the argument name'],
      [['connector'], 'Pass the argument name'],
      [['handler', 'nothing', 'our-own'], 'There is no template nothing: use one of benefit-verification-to-ehr, '],
      [['handler', 'messages-to-ehr', '../escape'], '../escape is not a valid name'],
      [['handler', 'messages-to-ehr', 'our-chart'], 'already has something named ourChart'],
      [['connector', 'ehr'], 'already has something named ehr'],
    ] as const)
      await expect(pawl([...args])).rejects.toThrow(reason)
    await writeFile(join(fork.path, 'src/integration/taken.ts'), 'export {}\n')
    await expect(pawl(['handler', 'messages-to-ehr', 'taken'])).rejects.toThrow(
      'src/integration/taken.ts exists already',
    )
    expect(await read('src/integration/index.ts')).toBe(before)
    expect(await read('src/integration/our-chart.ts')).toBe(handler)
    expect(existsSync(join(fork.path, 'src/integration/taken.test.ts'))).toBe(false)
    await rm(join(fork.path, 'src/integration/taken.ts'))
  })

  it('says what to do by hand where the integration is made otherwise', async () => {
    const path = join(fork.path, 'src/integration/index.ts')
    const before = await read('src/integration/index.ts')
    await writeFile(path, `export default {}\n`)
    await expect(pawl(['handler', 'messages-to-ehr', 'ours'])).rejects.toThrow('add it there by hand')
    await writeFile(path, before)
  })

  // test/docs/forking.test.ts runs tests that were copied.
  it('leaves a fork that passes its checks', async () => {
    await fork.compile()
    await fork.run('oxlint', ['--type-aware', '--deny-warnings', 'src/integration'])
    await fork.run('prettier', ['--check', 'src/integration'])
  })
})
