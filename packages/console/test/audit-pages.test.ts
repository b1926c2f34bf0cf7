import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Sqlite } from '../../base/src/sqlite.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { postForm } from './post-form.ts'

let gateway: LocalGateway
beforeEach(async () => {
  gateway = await startLocalGateway({ api: createScriptedApi().api, handlers: [], log: captureLog().log })
  for (const name of ['maria', 'olga'])
    await gateway.ledger.audit({
      actor: { name, via: 'admin', auth: 'password' },
      action: 'resource.reveal',
      resourceId: `pa_of_${name}`,
      reason: 'A <question>',
    })
})
afterEach(() => gateway.destroy())

const get = (path: string) => request(gateway.adminUrl).get(path)

describe('the page of the audit trail', () => {
  it('shows matching entries, the newest first, and records each view once', async () => {
    const { text } = await get('/audit').expect(200)
    expect(text.indexOf('pa_of_olga')).toBeLessThan(text.indexOf('pa_of_maria'))
    expect(text).toContain('A &lt;question>')
    const filtered = await get('/audit?actor=maria').expect(200)
    expect(filtered.text).toContain('pa_of_maria')
    expect(filtered.text).not.toContain('pa_of_olga')
    const views = await gateway.ledger.listAudit({ action: 'audit.view' }, 10)
    expect(views).toHaveLength(2)
    expect(views[0]?.actor).toEqual({ name: 'unnamed', via: 'admin' })
  })

  it('exports what matches, as it is kept or as FHIR, and writes that down first', async () => {
    const kept = await get('/audit/export?actor=maria').expect(200)
    expect(kept.headers['content-disposition']).toContain('audit-jsonl.ndjson')
    const lines = kept.text.trim().split('\n')
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { actor: { name: 'maria', auth: 'password' }, action: 'resource.reveal', resourceId: 'pa_of_maria' },
    ])
    const fhir = await get('/audit/export?actor=maria&format=fhir').expect(200)
    expect(JSON.parse(fhir.text)).toMatchObject({
      resourceType: 'AuditEvent',
      action: 'R',
      purposeOfEvent: [{ text: 'A <question>' }],
    })
    expect(fhir.text).toContain('"authentication"')
    expect(await gateway.ledger.listAudit({ action: 'audit.export' }, 10)).toHaveLength(2)
  })

  const alter = (statement: string) => {
    const db = new Sqlite(gateway.databasePath)
    db.exec(statement)
    db.close()
  }
  const tokenIn = (page: string) => /name="token" value="([^"]+)"/.exec(page)?.[1]

  it('says that an altered trail was tampered with', async () => {
    alter("update audit set actor = 'nobody' where actor = 'maria'")
    const token = tokenIn((await get('/audit').expect(200)).text)
    const verdict = await postForm(gateway.adminUrl, '/audit/verify', { token }).expect(200)
    expect(verdict.text).toContain('The trail was tampered with.')
    expect(verdict.text).toContain('<h1>The trail is broken</h1>')
    await request(gateway.adminUrl).post('/audit/verify').type('form').send({ token: 'guessed' }).expect(403)
  })
})
