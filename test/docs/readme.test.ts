import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Express } from 'express'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { defineHandler } from '#pawl'
import type { AnyHandler } from '../../src/work/handler.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import type { Gateway } from '../../src/gateway.ts'
import { startTestGateway, testEnvironment } from '../support/start-test-gateway.ts'
import { captureLog } from '../support/log-capture.ts'
import { until } from '../support/until.ts'
import { deliver, envelope, signToken } from '../support/webhook.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = `${root}test/docs/examples`
const execute = promisify(execFile)

/** The README's TypeScript examples, by the file name in their first line. */
async function readExamples(): Promise<Map<string, string>> {
  const text = await readFile(`${root}README.md`, 'utf8')
  const blocks = [...text.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)]
  // They stand in another folder here.
  const moved = (code: string) => code.replaceAll("from './", "from '../../../src/")
  return new Map(blocks.map(([, path = '', code = '']) => [path.split('/').at(-1) ?? path, moved(code)]))
}

describe('the examples in the README', () => {
  let examples: Map<string, string>

  beforeAll(async () => {
    examples = await readExamples()
    await mkdir(folder, { recursive: true })
    for (const [name, code] of examples) await writeFile(`${folder}/${name}`, code)
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('compile', async () => {
    const config = {
      extends: '../../../tsconfig.json',
      compilerOptions: { noEmit: true, rootDir: '../../..' },
      include: ['*.ts'],
    }
    await writeFile(`${folder}/tsconfig.json`, JSON.stringify(config))
    await execute(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', folder]).catch(
      ({ stdout }: { stdout: string }) => expect.unreachable(stdout),
    )
    expect([...examples.keys()]).toEqual([
      'announce-approvals.ts',
      'chart-locked.ts',
      'create-prior-authorization.ts',
      'my-app.ts',
    ])
  })

  it('the smallest handler announces an approval once', async () => {
    // The compiler cannot see what is in a file that the test has just written.
    const example = (await import(`${folder}/announce-approvals.ts`)) as { default: AnyHandler }
    const service = createScriptedApi()
    const { log, lines } = captureLog()
    const gateway = await startTestGateway({ api: service.api, handlers: [example.default], log })
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
    const { ChartLocked } = (await import(`${folder}/chart-locked.ts`)) as { ChartLocked: new (text: string) => Error }
    const locked = defineHandler({
      name: 'locked',
      on: ['prior_authorization.status_change'],
      handle: () => Promise.reject(new ChartLocked('The chart is open elsewhere.')),
    })
    const { log, lines } = captureLog()
    const gateway = await startTestGateway({ api: createScriptedApi().api, handlers: [locked], log })
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    const line = await until('it failed', () => lines().find(({ msg }) => msg === 'handler failed, will be retried'))
    await gateway.destroy()
    expect(line.error).toEqual({ code: 'chart_locked', message: 'The chart is open elsewhere.' })
    expect(line.retry_in_ms).toBeGreaterThanOrEqual(60_000)
  })

  it('an app of your own receives in front of its body parsers', async () => {
    for (const [name, value] of Object.entries(await testEnvironment())) vi.stubEnv(name, value)
    // The compiler cannot see what is in a file that the test has just written.
    const example = (await import(`${folder}/my-app.ts`)) as { app: Express; gateway: Gateway }
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
    const env = { PATH: process.env.PATH, API_BASE_URL: url, API_TOKEN: await sandbox.issueToken() }
    const script = `${folder}/create-prior-authorization.ts`
    const { stdout } = await execute(process.execPath, ['--conditions=source', '--import', 'tsx', script], {
      cwd: root,
      env,
    })
    await sandbox.close()
    expect(stdout).toMatch(/^pa_req_\w+ completed approved\n$/)
  })
})
