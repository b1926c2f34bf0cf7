import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Express } from 'express'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { defineHandler } from '#pawl'
import type { Gateway } from '../../src/gateway.ts'
import { createSandbox } from '../../packages/sandbox/src/sandbox.ts'
import type { AnyHandler } from '../../src/work/handler.ts'
import { createForkTree, type ForkTree } from '../support/fork-tree.ts'
import { captureLog } from '../support/log-capture.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, testEnvironment } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope, signToken } from '../support/webhook.ts'
import { readPage, readReadmeExamples } from './readme-examples.ts'
import { shellBlocks } from './shell-blocks.ts'

it('the README has 1,200 words at the most', async () => {
  expect((await readPage('README.md')).split(/\s+/).length).toBeLessThanOrEqual(1_200)
})

describe('the examples in the README and on the pages that it leads to, where they say they live', () => {
  let examples: Map<string, string>
  let fork: ForkTree

  beforeAll(async () => {
    examples = await readReadmeExamples()
    fork = await createForkTree(examples)
  })
  afterAll(() => fork.destroy())

  /** The module that an example is. */
  const load = (path: string): Promise<unknown> => import(`${fork.path}/${path}`)

  it('are all there', () => {
    expect([...examples.keys()].toSorted()).toEqual([
      'create-prior-authorization.ts',
      'src/integration/.env.example',
      'src/integration/announce-approvals.ts',
      'src/integration/billing.ts',
      'src/integration/chart-locked.ts',
      'src/integration/index.ts',
      'src/integration/invoice-approvals.ts',
      'src/integration/invoice-cases.test.ts',
      'src/integration/invoice-cases.ts',
      'src/integration/my-app.ts',
    ])
  })

  it('pass the checks of the project: types, lint, format', async () => {
    await fork.compile()
    await fork.run('oxlint', ['--type-aware', '--deny-warnings'])
    await fork.run('depcruise', ['src', 'packages', 'templates', '--config', '.dependency-cruiser.mjs'])
    await fork.run('prettier', ['--check', ...[...examples.keys()].filter((path) => path.endsWith('.ts'))])
  })

  it('pass their own tests, and those of the architecture and of the settings', async () => {
    const own = [...examples.keys()].filter((path) => path.endsWith('.test.ts'))
    await fork.run('vitest', ['run', 'test/architecture.test.ts', 'test/settings/config.test.ts', ...own])
  })

  it('the smallest handler announces an approval once', async () => {
    // The compiler cannot see what is in a file that the test has just written.
    const example = (await load('src/integration/announce-approvals.ts')) as { announceApprovals: AnyHandler }
    const service = createScriptedApi()
    const { log, lines } = captureLog()
    const gateway = await startLocalGateway({ api: service.api, handlers: [example.announceApprovals], log })
    service.set({ id: 'pa_req_1', status: 'completed', outcome: { result: 'Approved' } })
    for (const n of [1, 2]) {
      await deliver(gateway.url, envelope({ id: 'pa_req_1', n }))
      await until('in step', async () => (await gateway.ledger.counts()).due === 0)
    }
    await gateway.destroy()
    expect(lines().filter((line) => line.msg === 'approved: tell the team here')).toHaveLength(1)
  })

  it('an error of your own says when the work is tried again', async () => {
    // The compiler cannot see what is in a file that the test has just written.
    const { ChartLocked } = (await load('src/integration/chart-locked.ts')) as {
      ChartLocked: new (text: string) => Error
    }
    const locked = defineHandler({
      name: 'locked',
      on: ['prior_authorization.status_change'],
      handle: () => Promise.reject(new ChartLocked('The chart is open elsewhere.')),
    })
    const { log, lines } = captureLog()
    const gateway = await startLocalGateway({ api: createScriptedApi().api, handlers: [locked], log })
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    const line = await until('it failed', () => lines().find(({ msg }) => msg === 'handler failed, will be retried'))
    await gateway.destroy()
    expect(line.error).toEqual({ code: 'chart_locked', message: 'The chart is open elsewhere.' })
    expect(line.retry_in_ms).toBeGreaterThanOrEqual(60_000)
  })

  it('an app of your own receives in front of its body parsers', async () => {
    for (const [name, value] of Object.entries(await testEnvironment())) vi.stubEnv(name, value)
    // The compiler cannot see what is in a file that the test has just written.
    const example = (await load('src/integration/my-app.ts')) as { app: Express; gateway: Gateway }
    vi.unstubAllEnvs()
    const body = JSON.stringify(envelope({ id: 'pa_req_1' }))
    const post = () => request(example.app).post('/webhooks').set('content-type', 'application/json').send(body)
    await post().expect(401)
    await post()
      .set('x-webhook-secret', await signToken())
      .expect(202)
    await request(example.app).get('/webhooks').expect(405)
    expect(await example.gateway.ledger.counts()).toMatchObject({ events: 1 })
    await example.gateway.close()
  })

  it('the script creates a PA and follows it to its end', async () => {
    const sandbox = createSandbox({ speed: 1_000_000, seed: 1 })
    const { url } = await sandbox.listen()
    await writeFile(join(fork.path, '.env'), `API_BASE_URL=${url}\nAPI_TOKEN=${await sandbox.issueToken()}\n`)
    const block = shellBlocks('docs/client.md').find((each) => each.includes('create-prior-authorization.ts')) ?? ''
    const { stdout } = await promisify(execFile)('bash', ['-ec', block], { cwd: fork.path })
    await sandbox.close()
    expect(stdout).toMatch(/^pa_req_\w+ completed approved\n$/)
  })
})
