import type { Page } from 'playwright-core'
import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../src/index.ts'
import { createMemoryEhr } from '../../ehr/src/memory/memory-ehr.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { openPages } from '../../../test/support/open-pages.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'
import { browserPath, findBarriers, findMisfits } from './browser.ts'
import { postForm } from './post-form.ts'

const patient = 'KANARI-4711'
const reason = 'Letter of 3 March'
const log = captureLog('info')
let gateway: LocalGateway
let service: ReturnType<typeof createScriptedApi>

beforeEach(async () => {
  log.clear()
  const handler = defineHandler({
    name: 'chart',
    on: ['prior_authorization.status_change'],
    handle: ({ resource, ehr }) => ehr.putPriorAuthorization(resource),
  })
  service = createScriptedApi()
  for (const [id, internal_id] of [
    ['pa_req_1', patient],
    ['pa_req_2', patient],
    ['pa_req_3', 'KANARI-4712'],
  ])
    service.set({ id: id ?? '', status: 'processing', patient: { internal_id } })
  gateway = await startLocalGateway(
    { api: service.api, handlers: [handler], ehr: createMemoryEhr(), log: log.log },
    { SEALING_KEYS: Buffer.alloc(32, 7).toString('base64'), POLL_INTERVAL_MS: '3600000' },
  )
  for (const id of ['pa_req_1', 'pa_req_2', 'pa_req_3']) await deliver(gateway.url, envelope({ id }))
  await until('all are read', async () =>
    (await Promise.all(['pa_req_1', 'pa_req_2', 'pa_req_3'].map((id) => gateway.ledger.history(id, 1, {})))).every(
      (history) => history?.resource.snapshotAt !== undefined,
    ),
  )
  await until('in sync', async () => (await gateway.ledger.counts()).due === 0)
})
afterEach(() => gateway.destroy())

const sizes = async () =>
  Promise.all(['pa_req_1', 'pa_req_2', 'pa_req_3'].map(async (id) => (await gateway.ledger.bodies(id)).length))

describe.skipIf(browserPath === undefined)('erasing a patient in a browser', () => {
  let page: Page
  openPages((opened) => void ({ page } = opened))

  const look = async (number: string) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(`${gateway.adminUrl}/erase`)
    await page.getByLabel("The patient's number").fill(number)
    await page.getByLabel('Why; nothing about a patient').fill(reason)
    await page.getByRole('button', { name: 'Look' }).click()
  }
  const noteShown = async (shown: string[]) => void shown.push(page.url(), await page.content())

  it('shows what was found, erases it when told to, says what stays where, and never shows the number', async () => {
    const shown: string[] = []
    await look(patient)
    await page.getByText('Found, and nothing erased yet:').waitFor()
    for (const id of ['pa_req_1', 'pa_req_2']) await page.getByRole('link', { name: id }).waitFor()
    expect(await page.getByText('pa_req_3').count()).toBe(0)
    expect(await sizes()).toEqual([1, 1, 1])
    expect([await findBarriers(page), await findMisfits(page)]).toEqual([[], []])
    await noteShown(shown)
    await page.getByRole('button', { name: 'Erase for good' }).click()
    await page.getByText('the ledger holds nothing more of this patient').waitFor()
    await page.getByText(/^Removed: bodies 2, snapshots 2/).waitFor()
    await page.getByText('Backups of the ledger: delete them').waitFor()
    await page.getByText('The chart (ehr): have its people delete 6.').waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy ids' }).click()
    await page.getByText('Copied').waitFor()
    const copied: string = await page.evaluate('navigator.clipboard.readText()')
    expect(copied.split('\n').filter((line) => /^(Task|ClaimResponse|DocumentReference)\/./.test(line))).toHaveLength(6)
    expect([await findBarriers(page), await findMisfits(page)]).toEqual([[], []])
    await noteShown(shown)
    expect(await sizes()).toEqual([0, 0, 1])
    service.set({ id: 'pa_req_4', status: 'processing', patient: { internal_id: patient } })
    await deliver(gateway.url, envelope({ id: 'pa_req_4' }))
    await until('it is read', async () => (await gateway.ledger.history('pa_req_4', 1, {}))?.resource.snapshotAt)
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByText('some is there again: the service has not stopped sending.').waitFor()
    await page.getByRole('button', { name: 'Erase for good' }).click()
    await page.getByText('the ledger holds nothing more of this patient').waitFor()
    await look(patient)
    await page.getByText(/holds nothing more of this patient, who was erased .+ ago\./).waitFor()
    expect(await page.getByRole('button', { name: 'Erase for good' }).count()).toBe(0)
    await noteShown(shown)
    const trail = await gateway.ledger.readAudit({ after: 0 }, 1_000)
    const erasures = trail.filter(({ action }) => action === 'patient.erase')
    expect(new Set(erasures.map(({ resourceId }) => resourceId))).toEqual(new Set(['pa_req_1', 'pa_req_2', 'pa_req_4']))
    expect(erasures.map((entry) => entry.reason)).toEqual([reason, reason, reason])
    expect([...shown, log.text(), JSON.stringify(trail)].join('\n')).not.toContain(patient)
  })
})

it('an erasure without a number or a reason, and one that is not known, are refused and change nothing', async () => {
  const form = await request(gateway.adminUrl).get('/erase')
  const token = /name="token" value="([^"]+)"/.exec(form.text)?.[1]
  expect((await postForm(gateway.adminUrl, '/erase', { internal_id: patient, reason })).status).toBe(403)
  for (const fields of [
    { internal_id: patient },
    { internal_id: patient, reason: 'x' },
    { internal_id: ' ', reason },
  ]) {
    const { status, text } = await postForm(gateway.adminUrl, '/erase', { token, ...fields })
    expect(status).toBe(400)
    expect(text).toContain('Type the patient')
  }
  const unknown = await request(gateway.adminUrl).get('/erase/jobs/nothing')
  expect({ status: unknown.status, cached: unknown.headers['cache-control'] }).toEqual({
    status: 404,
    cached: 'no-store',
  })
  expect((await postForm(gateway.adminUrl, '/erase/jobs/nothing', { token })).status).toBe(303)
  expect(await sizes()).toEqual([1, 1, 1])
})
