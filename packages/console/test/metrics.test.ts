import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { describeWithPromtool, promtool } from '../../../test/support/promtool.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'

async function readMetrics({ adminUrl }: LocalGateway): Promise<string> {
  const answer = await fetch(`${adminUrl}/metrics`)
  expect(answer.status).toBe(200)
  return answer.text()
}

/** The lines that hold a value. */
const valuesOf = (text: string, prefix: string) => text.split('\n').filter((line) => line.startsWith(prefix))

describeWithPromtool('/metrics', () => {
  it('keeps to the conventions of Prometheus: names, units, help', async () => {
    const gateway = await startLocalGateway()
    try {
      await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
      await deliver(gateway.url, 'no JSON')
      await until('it ran', async () => (await readMetrics(gateway)).includes('pawl_handler_runs_total{'))
      expect(promtool(['check', 'metrics'], { input: await readMetrics(gateway) })).toEqual({ code: 0, says: '' })
    } finally {
      await gateway.destroy()
    }
  })

  it('names no resource, event or patient in a label', async () => {
    const gateway = await startLocalGateway()
    try {
      await deliver(gateway.url, envelope({ id: 'pa_req_labelled', patient: { internal_id: 'patient-1' } }))
      await until('it ran', async () => (await readMetrics(gateway)).includes('pawl_handler_runs_total{'))
      const text = await readMetrics(gateway)
      expect(text).not.toMatch(/pa_req_labelled|patient-1/)
      expect(text).toContain('pawl_ledger_projection_lag_seconds{projection="outcomes"}')
      const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, name]) => name))
      expect(labels).toEqual(
        new Set(['code', 'handler', 'le', 'method', 'outcome', 'projection', 'result', 'route', 'status', 'system']),
      )
    } finally {
      await gateway.destroy()
    }
  })
})

describeWithPostgres('/metrics while the ledger is away', () => {
  let postgres: TestPostgres
  let gateway: LocalGateway
  beforeAll(async () => {
    postgres = await startPostgres()
    gateway = await startLocalGateway({}, { ROLE: 'receiver', DATABASE_URL: await postgres.createDatabase() })
  })
  afterAll(async () => {
    await gateway.destroy()
    await postgres.close()
  })

  const isUp = async (up: number) => (await readMetrics(gateway)).includes(`pawl_ledger_up ${up}`)

  it.each([
    ['answers nothing', async () => postgres.pause(), async () => postgres.resume()],
    ['is down', () => postgres.kill(), () => postgres.start()],
  ])('answers when it %s: says so, leaves out what it cannot know, and tells the rest', async (_, stop, restart) => {
    expect((await deliver(gateway.url, envelope({ id: 'pa_req_1' }))).status).toBeLessThan(300)
    await until('all is told', () => isUp(1))
    expect(valuesOf(await readMetrics(gateway), 'pawl_ledger_').length).toBeGreaterThan(5)
    await stop()
    const texts = await Promise.all([readMetrics(gateway), readMetrics(gateway)])
    for (const text of texts) {
      expect(valuesOf(text, 'pawl_ledger_')).toEqual(['pawl_ledger_up 0'])
      expect(text).toContain('pawl_deliveries_total{outcome="stored",code="handled"} 1')
    }
    await restart()
    await until('it is back', () => isUp(1))
  })
})
