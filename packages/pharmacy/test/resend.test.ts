import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type FarSide, startFarSide } from '../../testing/src/far-side.ts'
import tellPharmacy from '../../../templates/prescription-transfer-to-pharmacy/handler.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { tryCommand } from '../../../test/support/run-command.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../../test/support/samples.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { type SftpServer, sshd, startSftpServer } from '../../../test/support/sftp-server.ts'
import { type LocalGateway, startLocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'
import { readTablePlan } from '../src/sql/table-plan.ts'
import { tableDefinition } from '../src/sql/table-definition.ts'
import { postgres as dialect } from '../../connector/src/sql/postgres.ts'
import { TransferNotice } from '../src/transfer-notice.ts'

const key = 'a-key-of-the-corner-pharmacy-for-tests'
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const pharmacies = { pa_req_http: '1111111', pa_req_table: '2222222', pa_req_file: '3333333', pa_req_feed: '4444444' }
type Id = keyof typeof pharmacies
const ids = Object.keys(pharmacies) as Id[]

describeWithPostgres('pawl pharmacy resend', () => {
  describe.skipIf(sshd === undefined)('by each way', () => {
    let database: TestPostgres
    let files: SftpServer
    let http: FarSide
    let tableUrl: string
    let gateway: LocalGateway

    beforeEach(async () => {
      ;[database, files, http] = await Promise.all([
        startPostgres(),
        startSftpServer(),
        startFarSide(() => ({ status: 204 })),
      ])
      tableUrl = await database.createDatabase()
      await ask(tableDefinition(readTablePlan({ PHARMACY_TABLE_MODE: 'outbox' }), dialect))
      const service = createScriptedApi()
      for (const id of [...ids, 'pa_req_untold'])
        service.set({
          ...samplePriorAuthorization({
            id,
            status: 'completed',
            prescription_transfer:
              id === 'pa_req_untold' ? undefined : sampleTransfer({ transfer_attempts: attemptsOf(id) }),
          }),
        })
      const { port, username, folder, fingerprint, keyFile } = files
      gateway = await startLocalGateway(
        { api: service.api, handlers: [tellPharmacy], log: captureLog().log },
        {
          PHARMACY_ROUTES: JSON.stringify({
            1111111: { url: http.url, secret },
            2222222: { url: tableUrl },
            3333333: { url: `sftp://${username}@127.0.0.1:${port}${folder}` },
          }),
          PHARMACY_HOST_KEY: fingerprint,
          PHARMACY_SSH_KEY_FILE: keyFile,
          PHARMACY_FEED_KEYS: JSON.stringify({ corner: { ncpdp_ids: [pharmacies.pa_req_feed], key } }),
        },
      )
      for (const id of [...ids, 'pa_req_untold']) await deliver(gateway.url, envelope({ id }))
      await until('all are told', async () => (await counts()).every((count) => count === 1))
    })
    afterEach(async () => {
      await gateway.destroy()
      await Promise.all([database.close(), files.close(), http.close()])
    })

    const attemptsOf = (id: string) => [{ timestamp: '2026-03-01T10:00:00Z', pharmacy_ncpdp_id: pharmacies[id as Id] }]

    async function ask(statement: string): Promise<Record<string, unknown>[]> {
      const client = new Client(tableUrl)
      await client.connect()
      try {
        return (await client.query<Record<string, unknown>>(statement)).rows
      } finally {
        await client.end()
      }
    }

    /** What each pharmacy has of its transfer, oldest first. */
    async function told(): Promise<TransferNotice[][]> {
      const rows = await ask('select notice from prescription_transfer_notices order by sequence')
      const page = await fetch(`${gateway.url}/pharmacy/transfers?after=0`, {
        headers: { authorization: `Bearer ${key}` },
      })
      const read = [
        http.requests.map(({ body }) => JSON.parse(body) as unknown),
        rows.map(({ notice }) => notice),
        (await files.files())
          .filter(({ name }) => !name.endsWith('.part'))
          .map(({ content }) => JSON.parse(content) as unknown),
        ((await page.json()) as { notices: unknown[] }).notices,
      ]
      return z.array(z.array(TransferNotice)).parse(read)
    }
    const counts = async () => (await told()).map(({ length }) => length)

    it('tells the same state as a new notice with a higher number, and records who asked', async () => {
      expect(await tryCommand(gateway.adminUrl, 'sync', ...ids)).toMatchObject({ code: 0 })
      await until('they are in sync', async () => (await gateway.ledger.counts()).due === 0)
      expect(await counts()).toEqual([1, 1, 1, 1])

      const resent = await tryCommand(gateway.adminUrl, 'pharmacy', 'resend', ...ids)
      expect(resent).toEqual({ code: 0, output: '4 transfers now due.\n' })
      await until('all are told again', async () => (await counts()).every((count) => count === 2))
      for (const [first, second] of await told()) {
        expect(second?.id).not.toBe(first?.id)
        expect(second?.sequence).toBeGreaterThan(first?.sequence ?? Infinity)
        expect(second?.data).toEqual(first?.data)
      }
      const [entry] = await gateway.ledger.listAudit({ action: 'notice.resend' }, 1)
      expect(entry).toMatchObject({ details: { systems: ['pharmacy'], count: 4 } })
    })

    it('names a PA of which nothing was told, and leaves it alone', async () => {
      expect(await tryCommand(gateway.adminUrl, 'pharmacy', 'resend', 'pa_req_untold', 'pa_req_none')).toEqual({
        code: 1,
        output:
          '0 transfers now due.\npa_req_untold: no pharmacy was told of it.\npa_req_none: no pharmacy was told of it.\n',
      })
      expect(await gateway.ledger.listAudit({ action: 'notice.resend' }, 1)).toEqual([])
    })
  })
})
