import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { dumpLedger, execute, openLedger, sealingKey } from '../../packages/ledger/test/filled-ledger.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { followProcess } from '../support/follow-process.ts'
import { argumentsFor, runPawl } from '../support/run-script.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

const node = argumentsFor('src/cli/pawl.ts')
const command = (from: string, to: string) => [...node, 'ledger', 'copy', '--from', from, '--to', to]
const env = { SEALING_KEYS: sealingKey.toString('base64') }

const copy = (from: string, to: string) => runPawl(['ledger', 'copy', '--from', from, '--to', to], env)

/** Ends the command with `signal` once it has begun to copy; resolves with how it ended and what it printed. */
async function interruptedCopy(from: string, to: string, signal: NodeJS.Signals) {
  const child = spawn(process.execPath, command(from, to), { env: { PATH: process.env.PATH, ...env } })
  const copying = followProcess(child, 'close', 60_000)
  await until('it copies', () => /^ *[1-9]\d? %/m.test(copying.output()) || child.exitCode !== null)
  return { ended: await copying.end(signal), output: copying.output() }
}

describeWithPostgres('pawl ledger copy', () => {
  let postgres: TestPostgres
  let folder: string
  let from: string
  let to: string

  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-copy-'))
    from = `file:${join(folder, 'pawl.db')}`
    to = await postgres.createDatabase()
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** A gateway on this ledger that handles every delivery; `handled` lists the resources handled. */
  async function startOn(databaseUrl: string) {
    const handled: string[] = []
    const handler = defineHandler({
      name: 'chart',
      on: ['prior_authorization.status_change'],
      handle: ({ resource }) => Promise.resolve(void handled.push(resource.id)),
    })
    const service = createScriptedApi()
    const gateway = await startLocalGateway(
      { api: service.api, handlers: [handler] },
      { DATABASE_URL: databaseUrl, SEALING_KEYS: sealingKey.toString('base64') },
    )
    const inSync = () => until('all in sync', async () => (await gateway.ledger.counts()).due === 0)
    return { gateway, handled, inSync }
  }

  /** A history that takes a while to copy. */
  async function addHistory(events: number): Promise<void> {
    const ledger = await openLedger(from)
    const body = Buffer.alloc(5_000, '{"padding":"of a realistic body"} ')
    const old = { resourceId: undefined, kind: undefined, eventType: 'x', source: 'webhook', body } as const
    for (let n = 0; n < events; n += 1_000) {
      await Promise.all(
        Array.from({ length: 1_000 }, (_, k) =>
          ledger.accept({ ...old, eventKey: undefined, eventType: `x.${n + k}` }),
        ),
      )
    }
    await ledger.close()
  }

  it('killed, then stopped with Ctrl-C, says how to go on, goes on where it was, and a gateway goes on with the copy as with the original', async () => {
    const bodies = [0, 1, 2].map((n) => JSON.stringify(envelope({ id: `pa_req_${n}`, status: 'hint' })))
    const first = await startOn(from)
    for (const body of bodies) expect((await deliver(first.gateway.url, body)).status).toBe(202)
    await first.inSync()
    await first.gateway.close()
    await addHistory(20_000)
    const before = await dumpLedger(from)

    const killed = await interruptedCopy(from, to, 'SIGKILL')
    expect(killed).toMatchObject({ ended: 'SIGKILL' })
    const [begun] = await execute(to, 'select count(*) as count from events')
    expect(Number(begun?.count)).toBeGreaterThan(0)
    expect(Number(begun?.count)).toBeLessThan(before.events?.length ?? 0)
    await expect(startOn(to)).rejects.toThrow(/unfinished copy/)
    const stopped = await interruptedCopy(from, to, 'SIGINT')
    expect(stopped).toMatchObject({ ended: 1 })
    expect(stopped.output).toMatch(/Stopped after \d+ of \d+ rows\. Run the same command again/)

    const { code, output } = await copy(from, to)
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(output.split('\n')[0]).not.toMatch(/^ *0 %/)
    expect(output).toContain('100 %')
    expect(output).toMatch(/events +20003/)
    expect(await dumpLedger(to)).toEqual(before)

    const second = await startOn(to)
    expect(await second.gateway.ledger.counts()).toMatchObject({ due: 0, parked: 0, resources: 3 })
    for (const body of bodies) expect((await deliver(second.gateway.url, body)).status).toBe(200)
    await second.inSync()
    expect(second.handled).toEqual([])
    const fresh = await deliver(second.gateway.url, envelope({ id: 'pa_req_1', status: 'again' }))
    const { event_id: eventId, duplicate } = (await fresh.json()) as { event_id: number; duplicate: boolean }
    // On PostgreSQL the id of a copy stays unused.
    expect({ duplicate, isNew: eventId > 20_003 }).toEqual({ duplicate: false, isNew: true })
    await until('worked on again', () => second.handled.length > 0)
    expect(second.handled).toEqual(['pa_req_1'])
    await second.gateway.close()
  })

  it('says what is wrong with an address, and what stands in the way', async () => {
    expect((await copy('mysql://127.0.0.1/pawl', to)).output).toContain('Give file:<path> or postgres://')
    expect((await copy(from, to)).output).toBe(`${from} does not exist.\n`)
  })
})
