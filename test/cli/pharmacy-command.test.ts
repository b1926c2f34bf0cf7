import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { Sqlite } from '../../packages/base/src/sqlite.ts'
import { startPharmacyDesk } from '../../packages/testing/src/services/pharmacy-desk.ts'
import { needs } from '../support/needs.ts'
import { freePort } from '../support/spawn-pawl.ts'
import { runPawl } from '../support/run-script.ts'
import { until } from '../support/until.ts'

const python = needs('python3')

const pharmacySchema = (env: Record<string, string>, ...args: string[]) => runPawl(['pharmacy', 'schema', ...args], env)

it('prints the outbox of the database that is asked for', async () => {
  const { code, output } = await pharmacySchema({}, '--dialect', 'postgres')
  expect(code).toBe(0)
  expect(output).toBe(`create table "prescription_transfer_notices" (
  "transfer" text not null,
  "sequence" bigint not null,
  "state" text,
  "notice" jsonb not null,
  "written_at" timestamptz not null default current_timestamp,
  primary key ("transfer", "sequence")
);
`)
})

it('prints the columns of an upsert for the database of the settings', async () => {
  const { code, output } = await pharmacySchema({
    PHARMACY_URL: 'mariadb://db.example/rx',
    PHARMACY_TABLE: 'transfers',
    PHARMACY_TABLE_MODE: 'upsert',
    PHARMACY_COLUMNS: '{"id":"data.prior_authorization_id","seq":"sequence","days":"data.prescription.days_supply"}',
  })
  expect(code).toBe(0)
  expect(output).toBe(`create table \`transfers\` (
  \`id\` varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
  \`seq\` bigint not null,
  \`days\` decimal(18, 6),
  primary key (\`id\`)
);
`)
})

it('says what is missing: the database, or columns that a notice has', async () => {
  const unknown = await pharmacySchema({ PHARMACY_URL: 'https://pharmacy.example/transfers' })
  expect(unknown.code).toBe(2)
  expect(unknown.output).toContain('Say which with --dialect: PHARMACY_URL is no address of a database.')
  const columns = { PHARMACY_TABLE_MODE: 'upsert', PHARMACY_COLUMNS: '{"id":"data.price"}' }
  const unfit = await pharmacySchema(columns, '--dialect', 'mysql')
  expect(unfit.code).toBe(2)
  expect(unfit.output).toContain(
    'PHARMACY_COLUMNS: id takes data.price, which is no field of a notice (docs/pharmacy.md)',
  )
})

it('tests the pharmacy of the settings, and says what is at fault', async () => {
  const secret = Buffer.alloc(24, 7).toString('base64')
  const desk = await startPharmacyDesk(secret)
  const test = (PHARMACY_SECRET: string) => runPawl(['pharmacy', 'test'], { PHARMACY_URL: desk.url, PHARMACY_SECRET })
  try {
    const fine = await test(secret)
    expect(fine.output).toMatch(/^pharmacy +ok +It took a signed test notice\.$/m)
    expect(fine.code).toBe(0)
    const wrong = await test(Buffer.alloc(24, 8).toString('base64'))
    expect(wrong.output).toMatch(/^pharmacy +FAIL .*HTTP 401\. Compare PHARMACY_SECRET/m)
    expect(wrong.code).toBe(1)
    expect(desk.transfers.size).toBe(0)
  } finally {
    await desk.close()
  }
})

it('says what keeps it from a test: no pharmacy, or a setting of it', async () => {
  const none = await runPawl(['pharmacy', 'test'], {})
  expect(none.code).toBe(2)
  expect(none.output).toContain('PHARMACY_URL is not set: pharmacy notices stay in memory. Set PHARMACY_URL')
  const nameless = await runPawl(['pharmacy', 'test'], {
    PHARMACY_URL: 'sftp://sftp.pharmacy.example/in',
    PHARMACY_HOST_KEY: `SHA256:${'A'.repeat(43)}`,
    PHARMACY_PASSWORD: 'a password',
  })
  expect(nameless.code).toBe(2)
  expect(nameless.output).toContain('PHARMACY_URL: needs the user')
})

it.skipIf(python === undefined)(
  'the receiver of docs/pharmacy.md takes tests and notices, by a right secret alone, and none waits for a silent connection',
  async () => {
    const page = readFileSync('docs/pharmacy.md', 'utf8')
    const port = await freePort()
    const code = /```python\n([^]*?)```/.exec(page)?.[1]?.replace('8080', String(port))
    const newest = /```sql\n([^]*?)```/.exec(page)?.[1] ?? ''
    const [secret, next, wrong] = [7, 9, 8].map((byte) => `whsec_${Buffer.alloc(24, byte).toString('base64')}`)
    const folder = await mkdtemp(join(tmpdir(), 'pawl-receiver-'))
    const receiver = spawn(python ?? '', ['-c', code ?? ''], {
      cwd: folder,
      env: { PHARMACY_SECRET: `${next},${secret}` },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    try {
      await until('the receiver', () => answers(port))
      const silent = connect(port, '127.0.0.1')
      await once(silent, 'connect')
      const test = async (PHARMACY_SECRET: string) =>
        (await runPawl(['pharmacy', 'test'], { PHARMACY_URL: `http://127.0.0.1:${port}/`, PHARMACY_SECRET })).code
      for (const right of [secret, next, `${wrong},${secret}`]) expect(await test(right ?? '')).toBe(0)
      expect(await test(wrong ?? '')).toBe(1)
      const post = async (body: string, headers: Record<string, string>) =>
        (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status
      const notice = {
        id: 'msg_1',
        type: 'prescription_transfer.updated',
        sequence: 1,
        data: { prior_authorization_id: 'pa_req_1' },
      }
      const body = JSON.stringify(notice)
      const signed = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': new Webhook(secret ?? '').sign('msg_1', new Date(), body),
      }
      for (const lacking of Object.keys(signed)) expect(await post(body, { ...signed, [lacking]: 'é' })).toBe(401)
      expect(await post(body, {})).toBe(401)
      expect([await post(body, signed), await post(body, signed)]).toEqual([204, 204])
      const stored = new Sqlite(join(folder, 'notices.db'), { readonly: true })
      expect(stored.prepare('select id, transfer, sequence from notices').all()).toEqual([
        { id: 'msg_1', transfer: 'pa_req_1', sequence: 1 },
      ])
      expect(stored.prepare(newest).all()).toMatchObject([{ transfer: 'pa_req_1' }])
      stored.close()
      silent.destroy()
    } finally {
      receiver.kill()
      await once(receiver, 'exit')
      await rm(folder, { recursive: true })
    }
  },
)

/** Whether a port of this machine takes connections. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
