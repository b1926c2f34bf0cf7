import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler, PawlError } from '../../../../src/index.ts'
import { Sqlite } from '../../../base/src/sqlite.ts'
import { faultsOf } from '../../../../test/support/fhir-validators.ts'
import { captureLog } from '../../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../../test/support/start-local-gateway.ts'
import { until } from '../../../../test/support/until.ts'
import { deliver, envelope } from '../../../../test/support/webhook.ts'
import { runPawl } from '../../../../test/support/run-script.ts'

class Refused extends PawlError {
  readonly code = 'refused'
}

const patient = 'KANARI-4711'
const sealingKey = randomBytes(32).toString('base64')
let gateway: LocalGateway

beforeEach(async () => {
  const handler = defineHandler({
    name: 'stubborn',
    on: ['prior_authorization.status_change'],
    async handle() {
      throw new Refused('The chart is locked.')
    },
  })
  const service = createScriptedApi()
  service.set({ id: 'pa_req_1', status: 'processing', patient: { internal_id: patient } })
  gateway = await startLocalGateway(
    { api: service.api, handlers: [handler] },
    { SEALING_KEYS: sealingKey, POLL_INTERVAL_MS: '3600000' },
  )
})
afterEach(() => gateway.destroy())

/** Runs the command, with this on its standard input. */
async function pawl(
  args: readonly string[],
  input = '',
): Promise<{ code: number | null; output: string; lines: string[] }> {
  const { code, out, output } = await runPawl(args, { ADMIN_PORT: new URL(gateway.adminUrl).port }, input)
  return { code, output, lines: out.trim().split('\n') }
}

async function park(): Promise<void> {
  await deliver(gateway.url, envelope({ id: 'pa_req_1', patient: { internal_id: patient } }))
  await until('parked and given back', async () => {
    const { parked, due } = await gateway.ledger.counts()
    return parked === 1 && due === 0
  })
}

describe('the audit trail, by the command line,', () => {
  it('names the start with its settings, and who looked, discarded and erased, and why', async () => {
    await park()
    const why = ['--reason', 'Done by hand']
    expect((await pawl(['show', 'pa_req_1'])).code).toBe(0)
    const discarded = await pawl(['discard', '--resource', 'pa_req_1', '--handler', 'stubborn', ...why])
    expect(discarded).toMatchObject({ code: 0, output: 'Discarded: the work of stubborn on pa_req_1.\n' })
    expect((await pawl(['show', 'pa_req_1'])).output).toMatch(/run +stubborn +discarded/)
    const again = await pawl(['discard', '--resource', 'pa_req_1', '--handler', 'stubborn', ...why])
    expect(again.code).toBe(1)
    expect(again.output).toContain('Nothing of that handler is parked or failing')
    const without = await pawl(['discard', '--resource', 'pa_req_1', '--handler', 'stubborn'])
    expect(without.code).toBe(2)
    const { output, lines } = await pawl(['audit', 'list'])
    expect(output).toMatch(/ pawl +process\.start .*set_in_environment=\S*SEALING_KEYS/)
    expect(output).toMatch(new RegExp(`\\S+@${hostname()} +work\\.discard +pa_req_1 +stubborn +reason: Done by hand`))
    expect(lines.filter((line) => line.includes('resource.view'))).toHaveLength(2)
    expect((await pawl(['audit', 'list', '--action', 'work.retry'])).output).toBe('No entries.\n')
    const json = await pawl(['audit', 'list', '--resource', 'pa_req_1', '--since', '1h', '--json'])
    // As the command prints it.
    const entries = json.lines.map((line) => JSON.parse(line) as { resourceId: string })
    expect(new Set(entries.map(({ resourceId }) => resourceId))).toEqual(new Set(['pa_req_1']))
  })

  it('is exported as AuditEvents without fault', async () => {
    await pawl(['show', 'pa_req_1'])
    const { lines } = await pawl(['audit', 'export', '--format', 'fhir'])
    expect(lines.length).toBeGreaterThan(2)
    for (const line of lines) expect(faultsOf(JSON.parse(line))).toEqual([])
    expect((await pawl(['audit', 'export'])).lines.at(-1)).toContain('"action":"audit.export"')
  })

  it('is found whole, and not any more where a row was changed', async () => {
    const whole = await pawl(['audit', 'verify'])
    expect(whole.code).toBe(0)
    expect(whole.output).toMatch(/^1 row, unbroken\.\nSigned since row 1 /)
    const head = /^head (\d+:[0-9a-f]{64})$/m.exec(whole.output)?.[1] ?? ''
    expect((await pawl(['audit', 'verify', '--head', head])).code).toBe(0)
    const database = new Sqlite(gateway.databasePath)
    database.prepare(`update audit set actor = 'nobody'`).run()
    database.close()
    const changed = await pawl(['audit', 'verify'])
    expect(changed.code).toBe(1)
    expect(changed.lines[0]).toBe('row 1: it was changed')
    const asJson = await pawl(['audit', 'verify', '--json'])
    expect(asJson.code).toBe(1)
    expect(JSON.parse(asJson.output)).toMatchObject({ rows: 1, faults: [{ id: 1, says: 'it was changed' }] })
  })
})

describe('a process that finds the audit trail altered', () => {
  it('says so in the log, and goes on taking deliveries', async () => {
    await gateway.close()
    const database = new Sqlite(gateway.databasePath)
    database.prepare('delete from audit').run()
    database.close()
    const { log, lines } = captureLog()
    const again = await startLocalGateway(
      { log, api: createScriptedApi().api, handlers: [] },
      { DATABASE_URL: `file:${gateway.databasePath}`, SEALING_KEYS: sealingKey },
    )
    const said = () => lines().filter(({ component, level }) => component === 'audit' && level === 'error')
    await until('the log says it', () => said().length > 0)
    await deliver(again.url, envelope({ id: 'pa_req_2' }))
    const known = await again.ledger.resource('pa_req_2')
    await again.close()
    expect(said()).toMatchObject([{ reason: 'noted', msg: 'the audit trail was altered: run pawl audit verify' }])
    expect(known?.events).toBe(1)
  })
})

describe('pawl purge', () => {
  it('erases a patient, and says what it removed and what stays where', async () => {
    await park()
    const why = ['--reason', 'She asked for it']
    expect((await pawl(['purge', '--patient', 'no-such-patient', ...why])).output).toContain(
      'nothing was erased under this number: check it',
    )
    const dry = await pawl(['purge', '--patient', patient, '--dry-run', ...why])
    expect(dry.output).toContain('found      pa_req_1  prior_authorization')
    expect((await gateway.ledger.bodies('pa_req_1')).length).toBe(1)
    const erased = await pawl(['purge', '--patient', '-', ...why], `${patient}\n`)
    expect(erased.code).toBe(0)
    expect(erased.output).toMatch(/^removed +bodies 1, snapshots 1, tried 1, lookups 1/m)
    expect(erased.output).toMatch(/^dropped +1 piece of pending work/m)
    for (const place of ['service', 'backups']) expect(erased.output).toMatch(new RegExp(`^${place} `, 'm'))
    expect(await gateway.ledger.bodies('pa_req_1')).toEqual([])
    const trail = await pawl(['audit', 'list'])
    expect(trail.output).toContain('reason: She asked for it')
    expect(dry.output + erased.output + trail.output).not.toContain(patient)
    const again = await pawl(['purge', '--patient', patient, ...why])
    expect(again.output).toMatch(/holds nothing more of this patient, who was erased .+ ago/)
  })

  it('is refused without a reason', async () => {
    expect((await pawl(['purge', '--patient', patient])).code).toBe(2)
  })
})
