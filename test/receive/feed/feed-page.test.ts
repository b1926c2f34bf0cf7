import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { FeedPageBody } from '../../../packages/pharmacy/src/feed/feed-page.ts'
import { expectSchemaFile } from '../../support/expect-schema-file.ts'
import { needs } from '../../support/needs.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../support/samples.ts'
import { createScriptedApi } from '../../support/scripted-api.ts'
import { startLocalGateway } from '../../support/start-local-gateway.ts'
import { until } from '../../support/until.ts'
import { deliver, envelope } from '../../support/webhook.ts'

const page = await readFile(new URL('../../../docs/pharmacy.md', import.meta.url), 'utf8')
const [, section = ''] = page.split('## A feed that the pharmacy asks for\n')
const execute = promisify(execFile)

it('the JSON Schema of a feed page is up to date; vitest -u updates it', async () => {
  await expectSchemaFile(FeedPageBody, 'prescription-transfer-page.schema.json')
})

describe.skipIf(needs('curl') === undefined)('the examples of docs/pharmacy.md', () => {
  it('run in order as the page says', async () => {
    const commands = [...section.matchAll(/```sh\n(curl [^\n]*)\n```/g)].map(([, command = '']) => command)
    expect(commands).toHaveLength(5)
    const key = 'a-key-of-the-corner-pharmacy-for-tests'
    const service = createScriptedApi()
    const gateway = await startLocalGateway(
      { api: service.api },
      { PHARMACY_FEED_KEYS: JSON.stringify({ corner: { ncpdp_ids: ['1234567'], key } }) },
    )
    const folder = await mkdtemp(join(tmpdir(), 'pawl-curl-'))
    const type = async (command = '', env: Record<string, string> = {}) => {
      const vars = { PATH: process.env.PATH, KEY: key, PAWL: gateway.url, ...env }
      return (await execute('bash', ['-c', command], { cwd: folder, env: vars })).stdout
    }
    const read = (text: string) => FeedPageBody.parse(JSON.parse(text))
    try {
      const transfer = sampleTransfer({
        transfer_attempts: [{ timestamp: '2026-03-01T10:00:00Z', pharmacy_ncpdp_id: '1234567' }],
      })
      const pa = samplePriorAuthorization({ status: 'completed', prescription_transfer: transfer })
      service.set(pa)
      const [first, csv, wait, unchanged, acknowledge] = commands
      const waiting = type(wait, { NEXT: '0' })
      await deliver(gateway.url, envelope(pa, 'prior_authorization.prescription_transfer_change'))
      expect(read(await waiting).notices).toHaveLength(1)
      const [notice] = read(await type(first)).notices
      expect(notice?.data.prior_authorization_id).toBe('pa_req_1')
      expect(await type(csv)).toBe('')
      expect(await readFile(join(folder, 'transfers.csv'), 'utf8')).toContain(notice?.id)
      const headers = await readFile(join(folder, 'headers.txt'), 'utf8')
      expect(headers).toMatch(/^next-after: \d+\r?$/im)
      const answer = await fetch(`${gateway.url}/pharmacy/transfers?after=0`, {
        headers: { authorization: `Bearer ${key}` },
      })
      expect(await type(unchanged, { ETAG: answer.headers.get('etag') ?? '' })).toBe('304\n')
      const acknowledged = await type(acknowledge, { ID: notice?.id ?? '' })
      expect(JSON.parse(acknowledged)).toEqual({ id: notice?.id, acknowledged_at: expect.any(String) })
      await until('it is known who has it', async () => {
        const history = await gateway.ledger.history('pa_req_1', 10, {})
        return history?.notices[0]?.acknowledgedBy === 'corner'
      })
    } finally {
      await gateway.destroy()
      await rm(folder, { recursive: true, force: true })
    }
  })
})

it('docs/pharmacy.md lists every refusal of the feed', async () => {
  const code = await readFile(new URL('../../../packages/pharmacy/src/feed/feed-routes.ts', import.meta.url), 'utf8')
  const codes = [...code.matchAll(/\b(?:4\d\d|503),\s+[`']([a-z_$]+)/g)].map(([, name = '']) => name)
  expect(codes.length).toBeGreaterThan(9)
  for (const name of codes.filter((each) => !each.includes('$'))) expect(section).toContain(`\`${name}\``)
})
