import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../src/index.ts'
import { act } from '../../../test/support/act.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'
import { postForm } from './post-form.ts'

let gateway: LocalGateway

beforeEach(async () => {
  const chart = defineHandler({ name: 'chart', on: ['prior_authorization.status_change'], handle: async () => {} })
  gateway = await startLocalGateway({ api: createScriptedApi().api, handlers: [chart], log: captureLog().log })
})
afterEach(() => gateway.destroy())

describe('the pages of pauses', () => {
  const address = '/handlers/pause?kind=handler&name=chart'
  const chart = { kind: 'handler', name: 'chart' } as const
  const read = async (page: string) => (await request(gateway.adminUrl).get(page).expect(200)).text
  /** Unseen fields in the form of a page. */
  const fieldsOf = async (page: string) => {
    const found = (await read(page)).matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)
    return Object.fromEntries([...found].map(([, name, value]) => [name, value]))
  }
  const post = (path: string, fields: object) => postForm(gateway.adminUrl, path, fields)

  it('pause and resume, and write into the audit trail who did it, and why', async () => {
    await post('/handlers/pause', { ...(await fieldsOf(address)), reason: 'the chart moves' }).expect(303)
    expect(await read(address)).toContain('Why: the chart moves')
    const { headers } = await post('/handlers/resume', await fieldsOf(address)).expect(303)
    expect(await read(String(headers.location))).toContain('0 resources now due.')
    const actor = { name: 'maria@ops-1', via: 'admin' }
    expect((await gateway.ledger.readAudit({}, 10)).slice(-2)).toMatchObject([
      { actor, action: 'work.pause', handler: 'chart', reason: 'the chart moves' },
      { actor, action: 'work.resume', handler: 'chart' },
    ])
  })

  it('resume all work that a start paused, and ask the service, by the button of the verdict', async () => {
    await gateway.ledger.pause({ kind: 'all', name: '' }, { ...act, reason: 'a test' })
    const fields = { ...(await fieldsOf('/handlers/pause?kind=all')), from: '/', reconcile: '24 h' }
    const { headers } = await post('/handlers/resume', fields).expect(303)
    expect(headers.location).toBe('/ask?reconciling=0')
    expect(await gateway.ledger.pauses()).toEqual([])
  })

  it('count a run that a pause held back as waiting, neither failed nor an attempt', async () => {
    await post('/handlers/pause', { ...(await fieldsOf(address)), reason: 'the chart moves' }).expect(303)
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    await until('it waits', async () => (await gateway.ledger.counts()).waiting === 1)
    expect(await read('/metrics')).toContain('pawl_handler_runs_total{handler="chart",result="waited"} 1')
    const handlers = await read('/handlers')
    expect(handlers).toMatch(/data-name="Failed"><div>0</)
    expect(handlers).toMatch(/waited (just now|\d+ s ago)/)
    const story = await read('/resources/pa_req_1')
    expect(story).toContain('chart waited for the end of its pause')
    expect(story).toContain('<li class="waited"><')
    expect(story).not.toContain('failed after')
  })

  it('leave a pause that began after the page loaded', async () => {
    await gateway.ledger.pause(chart, act)
    const fields = await fieldsOf(address)
    await gateway.ledger.resume(chart, act)
    await post('/handlers/resume', fields).expect(409)
    await gateway.ledger.pause(chart, { ...act, reason: 'another upgrade' })
    await post('/handlers/resume', { ...fields, since: Number(fields.since) - 1 }).expect(409)
    expect(await gateway.ledger.pauses()).toMatchObject([{ reason: 'another upgrade' }])
  })

  it('refuse a guessed token, a missing reason and unknown names, and confirm no made-up name', async () => {
    const fields = await fieldsOf(address)
    await post('/handlers/pause', { ...fields, reason: 'the chart moves', token: 'guessed' }).expect(403)
    await post('/handlers/pause', { ...fields, reason: ' x ' }).expect(400)
    await post('/handlers/pause', { ...fields, reason: 'the desk moves', name: 'desk' }).expect(400)
    for (const query of ['kind=handler&name=nobody', 'kind=anything&name=chart', ''])
      await request(gateway.adminUrl).get(`/handlers/pause?${query}`).expect(404)
    expect(await gateway.ledger.pauses()).toEqual([])
    expect(await read('/handlers?kind=system&name=made-up&resumed=3')).not.toContain('made-up')
  })
})
