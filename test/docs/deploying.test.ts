import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Environment } from '../../src/config.ts'
import { createMetrics } from '../../src/metrics.ts'
import { dumpLedger, fillLedger, openLedger, sealingKey } from '../ledger/filled-ledger.ts'
import { needs } from '../support/needs.ts'

const execute = promisify(execFile)
const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

let text: string
beforeAll(async () => {
  text = await read('docs/deploying.md')
})

/** The commands under a heading, block by block. */
function commandsUnder(heading: string): string[] {
  const [, section = ''] = text.split(`\n${heading}\n`)
  const [own = ''] = section.split(/\n#+ /)
  return [...own.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands)
}

describe.skipIf(needs('sqlite3') === undefined)('docs/deploying.md, on a ledger in a file', () => {
  let folder: string
  let url: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-deploying-'))
    await mkdir(join(folder, 'data'))
    url = `file:${join(folder, 'data/pawl.db')}`
  })
  afterEach(() => rm(folder, { recursive: true }))

  const run = (commands: string, env: Record<string, string> = {}) =>
    execute('sh', ['-ec', commands], { cwd: folder, env: { PATH: process.env.PATH, ...env } })
  const event = (n: number) =>
    ({
      resourceId: `pa_req_${n}`,
      kind: 'prior_authorization',
      eventType: 'prior_authorization.status_change',
      eventKey: undefined,
      body: Buffer.from(`{"n":${n}}`),
      source: 'webhook',
    }) as const

  it('backs it up while pawl writes to it, and brings it back', async () => {
    const [backup = '', restore = ''] = commandsUnder('### SQLite')
    await fillLedger(url)
    const running = await openLedger(url)
    await running.accept(event(500))
    const before = await dumpLedger(url)
    const [{ stderr }] = await Promise.all([run(backup), running.counts()])
    expect(stderr).toBe('')
    await running.accept(event(501))
    await running.close()

    await run(restore)
    expect(await dumpLedger(url)).toEqual(before)
    const restored = await openLedger(url)
    expect(await restored.accept(event(500))).toMatchObject({ duplicate: true })
    await restored.close()
  })

  it('counts what is sealed with each key', async () => {
    const [id = '', inSqlite = ''] = commandsUnder('## Changing secrets and keys')
    await fillLedger(url)
    const named = await run(id, { OLD_KEY: sealingKey.toString('base64') })
    const counted = await run(inSqlite)
    expect(counted.stdout.split('|')[0]).toBe(named.stdout.slice(0, 8))
    expect(Number(counted.stdout.split('|')[1])).toBeGreaterThan(300)
  })
})

describe('docs/deploying.md', () => {
  it('names settings that exist, and every metric', () => {
    const elsewhere = new Set(['OLD_KEY'])
    const names = [...text.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name)
    const known = new Set([...Object.keys(Environment.shape), ...elsewhere])
    expect(names.filter((name) => !known.has(name))).toEqual([])

    const counts = { events: 0, unhandled: 0, resources: 0, due: 0, parked: 0, toPoll: 0 }
    const { registry } = createMetrics({ readCounts: () => Promise.resolve(counts), readBreakers: () => ({}) })
    const metrics = registry.getMetricsAsArray().map(({ name }) => name)
    expect(metrics.filter((name) => !text.includes(`\`${name}`))).toEqual([])
    expect(
      [...text.matchAll(/`(pawl_[a-z_]+)[`{]/g)]
        .map(([, name = '']) => name)
        .filter((name) => !/_(queue|budget)$/.test(name) && !metrics.includes(name)),
    ).toEqual([])
    expect(Object.keys(counts).filter((what) => !text.includes(`\`${what}\``))).toEqual([])
  })
})
