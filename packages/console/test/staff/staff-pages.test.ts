import type { Page } from 'playwright-core'
import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { defineHandler } from '../../../../src/index.ts'
import type { System } from '../../../connector/src/system.ts'
import { captureLog } from '../../../../test/support/log-capture.ts'
import { startMailServer } from '../../../../test/support/mail-server.ts'
import { createScriptedApi } from '../../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../../test/support/start-local-gateway.ts'
import { until } from '../../../../test/support/until.ts'
import { deliver, envelope } from '../../../../test/support/webhook.ts'
import { openPages } from '../../../../test/support/open-pages.ts'
import { browserPath, findBarriers, findMisfits, goOn } from '../browser.ts'
import { postForm } from '../post-form.ts'

interface Desk {
  leave(): Promise<void>
}

/** A system that can hold no file. */
const desk: System<Desk> = {
  open: (run) => ({
    async leave() {
      run.leftOut({ type: 'file/letter/1', reason: 'too large' })
    },
  }),
}

const handler = defineHandler({
  name: 'files',
  on: ['prior_authorization.status_change'],
  async handle(context) {
    // The integration of this test has the system.
    const { desk } = context as unknown as { desk: Desk }
    if (context.resource.id === 'pa_req_file') await desk.leave()
  },
})

const teams = [
  { name: 'Appeals', to: ['appeals@clinic.example'], takes: ['denied'] },
  { name: 'Records', to: ['records@clinic.example'], takes: ['file'] },
]
const settings = (port: number) => ({
  STAFF_TEAMS: JSON.stringify(teams),
  ALERT_EMAIL_FROM: 'pawl@clinic.example',
  SMTP_URL: `smtp://127.0.0.1:${port}`,
  CASE_URL: 'https://clinic.example/cases/{id}',
})

let gateway: LocalGateway
const { api, set } = createScriptedApi()
const parts = () => ({ api, handlers: [handler], systems: { desk }, log: captureLog().log })

beforeEach(async () => {
  set({ id: 'pa_req_denied', status: 'completed', outcome: { result: 'Denied' } })
  set({ id: 'pa_req_review', status: 'awaiting_review' })
  set({ id: 'pa_req_file', status: 'processing' })
  gateway = await startLocalGateway(parts(), { ...settings(9), STAFF_DIGEST_AT: '23:59' })
  for (const id of ['pa_req_denied', 'pa_req_review', 'pa_req_file']) await deliver(gateway.url, envelope({ id }))
  await until('all is handled', async () => {
    const { due, events } = await gateway.ledger.counts()
    return due === 0 && events === 3
  })
})
afterEach(() => gateway.destroy())

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let opened: Page
  openPages(({ page }) => void (opened = page))

  it('a person finds the list of a team, and marks a file as done, on a phone, too', async () => {
    await opened.setViewportSize({ width: 360, height: 740 })
    await opened.goto(`${gateway.adminUrl}/work-queue`)
    expect([await findMisfits(opened), await findBarriers(opened)]).toEqual([[], []])
    await opened.getByLabel('Team').selectOption('Records')
    await goOn(opened, () => opened.getByRole('button', { name: 'Filter' }).click())
    await opened.getByRole('link', { name: 'pa_req_file' }).waitFor()
    expect(await opened.getByText('pa_req_denied').count()).toBe(0)
    await goOn(opened, () => opened.getByRole('button', { name: 'Done' }).click())
    await opened.getByText('Nothing waits for people.').waitFor()
    expect(await opened.getByText('Files that the chart could not hold').count()).toBe(0)
    expect(new URL(opened.url()).search).toBe('?team=Records')
  })
})

const page = async (query = '') => (await request(gateway.adminUrl).get(`/work-queue${query}`).expect(200)).text
const list = async (query = '') =>
  (await request(gateway.adminUrl).get(`/api/work-queue${query}`).expect(200)).body as {
    waiting: { id: string; due: string }[]
    files: { id: string; file: string }[]
  }

it('the page and the API show a team its own, with what is due in words', async () => {
  expect(await page()).toMatch(/pa_req_denied[\s\S]*pa_req_review[\s\S]*pa_req_file/)
  const appeals = await page('?team=Appeals')
  expect(appeals).toContain('<strong>Decide whether to appeal or to correct the request</strong>')
  expect(appeals).toContain('You may send a corrected request, or appeal by a letter.')
  expect(appeals).toMatch(/class="button" href="\/resources\/pa_req_denied"/)
  expect(appeals).toMatch(/<details><summary><code>denied<\/code>[\s\S]*POST \/prior-authorization/)
  expect(appeals).not.toMatch(/pa_req_review|pa_req_file/)
  expect(await page('?team=Records')).not.toMatch(/pa_req_denied|pa_req_review/)
  expect((await list('?team=Appeals')).waiting).toMatchObject([
    { due: 'Denied: send a corrected request, or appeal by a letter' },
  ])
  const { waiting, files } = await list('?team=Records')
  expect([waiting, files]).toMatchObject([[], [{ id: 'pa_req_file', kind: 'prior_authorization', file: 'letter/1' }]])
  await request(gateway.adminUrl).get('/api/work-queue?team=Nobody').expect(400)
})

it('a file that is done leaves the list, once and by a person, although it is left out again', async () => {
  const token = /name="token" value="([^"]+)"/.exec(await page())?.[1]
  const fields = { token, resource: 'pa_req_file', system: 'desk', file: 'letter/1', team: 'Records' }
  const answer = await postForm(gateway.adminUrl, '/work-queue/done', fields).expect(303)
  expect(answer.headers.location).toBe('/work-queue?team=Records')
  expect(await page()).not.toContain('pa_req_file')
  const [entry] = await gateway.ledger.listAudit({ action: 'file.done' }, 1)
  expect(entry).toMatchObject({ actor: { name: 'maria@ops-1' }, resourceId: 'pa_req_file' })
  expect(entry?.details).toEqual({ system: 'desk', file: 'letter/1' })
  expect((await postForm(gateway.adminUrl, '/work-queue/done', fields).expect(404)).text).toContain('No such file')
  set({ id: 'pa_req_file', status: 'awaiting_outcome' })
  await deliver(gateway.url, envelope({ id: 'pa_req_file', n: 2 }))
  await until('it ran again', async () => {
    const { due, events } = await gateway.ledger.counts()
    return due === 0 && events === 4
  })
  expect((await list()).files).toEqual([])
})

it('another process mails the list by its settings', async () => {
  const server = await startMailServer()
  onTestFinished(() => server.close())
  const other = await startLocalGateway(parts(), {
    ...settings(server.port),
    DATABASE_URL: `file:${gateway.databasePath}`,
    STAFF_TEAMS: JSON.stringify([{ name: 'Everyone', to: ['desk@clinic.example'] }]),
    STAFF_DIGEST_AT: '00:00',
  })
  onTestFinished(() => other.destroy())
  await until('it is mailed', () => server.mails.length === 1)
  const text = server.mails[0]?.text.replaceAll('=\r\n', '')
  expect(text).toContain('pawl: 3 waiting for Everyone')
  for (const id of ['pa_req_denied', 'pa_req_review', 'pa_req_file'])
    expect(text).toContain(`https://clinic.example/cases/${id}`)
})
