import type { Page } from 'playwright-core'
import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../src/index.ts'
import { createChartEhr, token } from '../../ehr/test/charts/connect.ts'
import { refusingCategory } from '../../../test/support/charts/refusing-category.ts'
import { type Chart, startChart } from '../../../test/support/charts/start-chart.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { runCommand, tryCommand } from '../../../test/support/run-command.ts'
import { samplePriorAuthorization } from '../../../test/support/samples.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'
import { openPages } from '../../../test/support/open-pages.ts'
import { browserPath, findBarriers, findMisfits, goOn } from './browser.ts'
import { postForm } from './post-form.ts'

const handler = defineHandler({
  name: 'chart',
  on: ['prior_authorization.status_change'],
  handle: ({ resource, ehr }) => ehr.putPriorAuthorization(resource),
})

const patient = { mrn: '0007', date_of_birth: '1970-01-31' }
const ids = ['pa_req_1', 'pa_req_2'] as const

let chart: Chart
let gateway: LocalGateway

beforeEach(async () => {
  chart = await startChart(refusingCategory(), { token })
  chart.seedPatient({ mrn: patient.mrn, birthDate: patient.date_of_birth, name: 'Testa Sample' })
  const service = createScriptedApi()
  for (const id of ids) service.set({ ...samplePriorAuthorization({ id, patient, status: 'completed' }) })
  gateway = await startLocalGateway({
    api: service.api,
    handlers: [handler],
    systems: { ehr: createChartEhr(chart) },
    log: captureLog().log,
  })
  for (const id of ids) await deliver(gateway.url, envelope({ id }))
  await until('both are parked', isDone(2))
})
afterEach(async () => {
  await gateway.destroy()
  await chart.close()
})

/** Whether all work has run, and so many pieces are parked. */
const isDone = (parked: number) => async () => {
  const counts = await gateway.ledger.counts()
  return counts.parked === parked && counts.due === 0
}

const parked = async () => {
  const { rows } = await gateway.ledger.work({ state: 'parked' }, 10)
  return rows.map(({ resourceId }) => resourceId).toSorted()
}

it('retries one resource without an element by command, recorded in the trail, and no other one', async () => {
  expect(await runCommand(gateway.adminUrl, 'parked')).toContain('without an element (pawl retry --help)')
  const retry = (...args: string[]) => tryCommand(gateway.adminUrl, 'retry', '--resource', ...args)
  const refused = await retry('pa_req_1', '--without', 'DocumentReference.subject')
  expect(refused).toEqual({ code: 1, output: expect.stringContaining('cannot be left out') })
  expect(await parked()).toEqual([...ids])
  const { code, output } = await retry('pa_req_1', '--without', 'DocumentReference.category', 'Task.owner')
  expect({ code, output }).toEqual({ code: 0, output: 'Due again: 1 piece of work.\n' })
  await until('it is written', isDone(1))
  const [document, ...others] = chart.all('DocumentReference')
  expect(others).toEqual([])
  expect(document).not.toHaveProperty('category')
  await retry('pa_req_2')
  await until('the other one is refused as before', isDone(1))
  expect(await parked()).toEqual(['pa_req_2'])
  const [entry] = await gateway.ledger.listAudit({ action: 'work.amend' }, 1)
  expect(entry).toMatchObject({
    resourceId: 'pa_req_1',
    details: { systems: ['ehr'], without: ['DocumentReference.category', 'Task.owner'] },
  })
  const late = await retry('pa_req_1', '--without', 'Task.owner')
  expect(late).toEqual({ code: 1, output: expect.stringContaining('No work of this resource failed') })
  const isAmended = async () => (await gateway.ledger.readMemory('ehr', 'pa_req_1')).has('amendment')
  expect(await isAmended()).toBe(true)
  expect((await retry('pa_req_1', '--as-usual')).code).toBe(0)
  expect(await isAmended()).toBe(false)
})

it('offers it on the page of one resource, with what is amended now', async () => {
  const page = async (query: string) => (await request(gateway.adminUrl).get(`/parked${query}`).expect(200)).text
  expect(await page('')).not.toContain('Retry otherwise')
  expect(await page('?resource=pa_req_1')).toContain('Retry otherwise')
  const token = /name="token" value="([^"]+)"/.exec(await page('?resource=pa_req_1'))?.[1]
  const send = (fields: object) =>
    postForm(gateway.adminUrl, '/parked/retry', { token, resource: 'pa_req_1', amend: 'yes', ...fields })
  expect((await send({ without: 'Task.for' }).expect(400)).text).toContain('cannot be left out')
  await send({ document_type: 'urn:clinic|letters' }).expect(303)
  await until('it is refused again', isDone(2))
  expect(await page('?resource=pa_req_1')).toContain('value="urn:clinic|letters"')
  await send({ without: 'DocumentReference.category, Task.owner' }).expect(303)
  await until('it is written', isDone(1))
  expect(chart.all('DocumentReference')[0]).not.toHaveProperty('category')
})

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let opened: Page
  openPages(({ page }) => void (opened = page))

  it('a person finds the form by the resource, and sends it, on a phone, too', async () => {
    await opened.setViewportSize({ width: 360, height: 740 })
    await opened.goto(`${gateway.adminUrl}/resources/pa_req_1`)
    await opened.getByRole('link', { name: 'See and discard' }).click()
    await opened.getByText('Retry with another document type, or without an element').click()
    expect([await findMisfits(opened), await findBarriers(opened)]).toEqual([[], []])
    await opened.getByLabel('Left out').fill('DocumentReference.category')
    await goOn(opened, () => opened.getByRole('button', { name: 'Retry so' }).click())
    await opened.getByText('Its parked work was made due.').waitFor()
    await until('it is written', isDone(1))
  })
})

it('names one resource, or is refused', async () => {
  await request(gateway.adminUrl)
    .post('/api/retry')
    .send({ all: true, amend: { without: ['DocumentReference.category'] } })
    .expect(400)
  await expect(runCommand(gateway.adminUrl, 'retry', '--all', '--without', 'Task.owner')).rejects.toThrow('--resource')
  expect(await parked()).toEqual([...ids])
})
