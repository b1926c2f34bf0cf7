import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { createMemoryEhr } from '../../src/connectors/ehr/memory/memory-ehr.ts'
import { act } from '../support/act.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startTestGateway, type TestGateway } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

const status = 'prior_authorization.status_change'

describe('a ledger of version 0.1.0', () => {
  let folder: string
  let gateway: TestGateway
  let runs: string[]
  let announced: string[]

  /** Holds three PAs that two handlers worked on, one of them parked, and a fourth that nobody worked on yet. */
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-before-'))
    const path = join(folder, 'pawl.db')
    const database = new Database(path)
    database.exec(await readFile(new URL('../fixtures/ledger/0.1.0.sql', import.meta.url), 'utf8'))
    database.close()
    runs = []
    announced = []
    const chart = defineHandler({
      name: 'chart',
      on: [status],
      async handle({ resource, ehr, once }) {
        runs.push(`chart ${resource.id}`)
        await once('announced', async ({ mayHaveRun }) => void announced.push(`${resource.id} ${mayHaveRun}`))
        await ehr.putPriorAuthorization(resource)
      },
    })
    const desk = defineHandler({
      name: 'desk',
      on: [status],
      handle: async ({ resource }) => void runs.push(`desk ${resource.id}`),
    })
    const service = createScriptedApi()
    service.set({ id: 'pa_req_1', status: 'completed', outcome: { result: 'Approved' } })
    gateway = await startTestGateway(
      { api: service.api, ehr: createMemoryEhr(), handlers: [chart, desk] },
      { DATABASE_URL: `file:${path}`, RETENTION_DAYS: '3650', POLL_INTERVAL_MS: '3600000' },
    )
    await until('what was due is done', async () => (await gateway.ledger.counts()).due === 0)
  })
  afterEach(async () => {
    await gateway.close()
    await rm(folder, { recursive: true })
  })

  const stateOf = async (id: string) =>
    (await gateway.ledger.resource(id))?.progress.map(({ handler, state }) => `${handler} ${state}`)

  it('is opened, what was due is worked on, and what was done stays done', async () => {
    expect(runs.filter((run) => run.endsWith('pa_req_4')).toSorted()).toEqual(['chart pa_req_4', 'desk pa_req_4'])
    expect(runs.filter((run) => run.endsWith('pa_req_1'))).toEqual([])
    expect(await stateOf('pa_req_1')).toEqual(['chart synced', 'desk synced'])
    expect(await stateOf('pa_req_2')).toEqual(['chart synced', 'desk parked'])
  })

  it('has its parked work retried', async () => {
    await gateway.ledger.retryWork({ resourceId: 'pa_req_2' }, act)
    await until('it is synced', async () => (await stateOf('pa_req_2'))?.includes('desk synced') === true)
    expect(runs).toContain('desk pa_req_2')
  })

  it('remembers what was announced, and knows copies of what it received', async () => {
    await deliver(gateway.url, envelope({ id: 'pa_req_1', n: 1 }))
    expect((await gateway.ledger.resource('pa_req_1'))?.repeats).toBe(2)
    await deliver(gateway.url, envelope({ id: 'pa_req_1', n: 2 }))
    await until('it was handled', () => runs.includes('chart pa_req_1'))
    expect(announced).toEqual(['pa_req_4 false'])
  })
})
