import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { schemas } from '../../scripts/render-settings.ts'
import { addAlertMetrics } from '../../packages/console/src/alert-metrics.ts'
import { createMetrics } from '../../packages/console/src/metrics.ts'
import { dumpLedger, fillLedger, openLedger } from '../../packages/ledger/test/filled-ledger.ts'
import { needs } from '../support/needs.ts'
import { blocksUnder, event, page } from './deploying-page.ts'

const execute = promisify(execFile)

describe.skipIf(needs('sqlite3') === undefined)('docs/deploying.md, on a ledger in a file', () => {
  let folder: string
  let url: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-deploying-'))
    await mkdir(join(folder, 'data'))
    url = `file:${join(folder, 'data/pawl.db')}`
  })
  afterEach(() => rm(folder, { recursive: true }))

  const run = (commands: string) => execute('sh', ['-ec', commands], { cwd: folder, env: { PATH: process.env.PATH } })

  it('backs it up while pawl writes to it, and brings it back', async () => {
    const [backup = '', restore = ''] = blocksUnder(['### SQLite'])
    await fillLedger(url)
    const running = await openLedger(url)
    await running.accept(event(500))
    const before = await dumpLedger(url)
    const [printed] = await Promise.all([run(backup), running.counts()])
    expect(printed).toEqual({ stdout: 'ok\n', stderr: '' })
    await running.accept(event(501))
    await running.close()

    await run(restore)
    expect(await dumpLedger(url)).toEqual(before)
    const restored = await openLedger(url)
    expect(await restored.accept(event(500))).toMatchObject({ duplicate: true })
    await restored.close()
  })
})

describe('docs/deploying.md', () => {
  it('speaks of images that are pinned by digest', async () => {
    const files = ['Dockerfile', 'templates/project/Dockerfile', 'compose.yaml']
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    const images = texts.flatMap((text) => text.match(/(?<=NODE_IMAGE=|_IMAGE:-)[^\s}]+/g) ?? [])
    expect(images).toHaveLength(4)
    for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/)
  })

  it('speaks of databases that run without root, capabilities or a writable file system', async () => {
    const compose = await readFile('compose.yaml', 'utf8')
    const [, shared = ''] = compose.split(/^x-database: &database$/m)
    for (const line of [
      "user: '999:999'",
      'read_only: true',
      'cap_drop: [ALL]',
      "security_opt: ['no-new-privileges:true']",
    ])
      expect(shared.split('\n\n', 1)[0]).toContain(`  ${line}\n`)
    const databases = compose
      .split(/^ {2}(?=\w+:$)/m)
      .filter((service) => /^(?:postgres|redis):\n {4}image/.test(service))
    expect(databases).toHaveLength(2)
    for (const service of databases)
      for (const part of [/<<: \*database\n/, /tmpfs: \[.*\/tmp/, /mem_limit: \d+[mg]\n/, /pids_limit: \d+\n/])
        expect(service).toMatch(part)
  })

  it('speaks of containers that get the secrets of their role alone, and leave no core dump', async () => {
    const compose = await readFile('compose.yaml', 'utf8')
    const [common = '', receiver = '', worker = ''] = compose.split(
      /^(?:services:\n {2}receiver:| {2}worker:| {2}postgres:)$/m,
    )
    expect(common).toMatch(/^ {2}ulimits: \{ core: 0 \}\n/m)
    expect(common).toMatch(/^ {2}mem_limit: \d/m)
    expect(common).not.toContain('env_file')
    const filesOf = (service: string) => service.match(/(?<=- (?:path: )?)\S*\.env$/gm)
    expect(filesOf(receiver)).toEqual(['.env', 'receiver.env'])
    expect(filesOf(worker)).toEqual(['.env', 'worker.env'])
    const ignored = await Promise.all(['.gitignore', '.dockerignore'].map((file) => readFile(file, 'utf8')))
    for (const text of ignored) expect(text).toMatch(/^(receiver\.env|\*\.env|\.env\*|\*)$/m)
  })

  it('names settings that exist, and every metric', () => {
    const elsewhere = new Set([
      'OLD_KEY',
      'NODE_IMAGE',
      'POSTGRES_IMAGE',
      'REDIS_IMAGE',
      'AF_INET',
      'AF_UNIX',
      'AF_NETLINK',
      'HTTP_PROXY',
      'HTTPS_PROXY',
    ])
    const names = [...page.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name)
    const known = new Set([...Object.keys(schemas), ...elsewhere])
    expect(names.filter((name) => !known.has(name))).toEqual([])

    const counts = {
      events: 0,
      unhandled: 0,
      resources: 0,
      due: 0,
      parked: 0,
      oldestParkedMs: 0,
      oldestDueMs: 0,
      waiting: 0,
      oldestWaitingMs: 0,
      toPoll: 0,
      reconciling: 0,
      reconcileCancelled: false,
      unreadable: 0,
    }
    const { registry } = createMetrics({
      readCounts: () => Promise.resolve(counts),
      readLags: () => Promise.reject(new Error('not asked')),
      readBreakers: () => ({}),
      readPauses: () => [],
    })
    addAlertMetrics(registry, () => ({ open: [], targets: [] }))
    const metrics = registry.getMetricsAsArray().map(({ name }) => name)
    expect(metrics.filter((name) => !page.includes(`\`${name}`))).toEqual([])
    expect(
      [...page.matchAll(/`(pawl_[a-z_]+)[`{]/g)]
        .map(([, name = '']) => name)
        .filter((name) => !/_(queue|budget)$/.test(name) && !metrics.includes(name)),
    ).toEqual([])
  })
})
