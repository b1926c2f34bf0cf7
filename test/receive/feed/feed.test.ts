import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { describeStory } from '../../../packages/console/src/commands/describe-story.ts'
import { TransferNotice } from '../../../packages/pharmacy/src/transfer-notice.ts'
import { Story } from '../../../packages/console/src/contract/story.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../support/samples.ts'
import { createScriptedApi } from '../../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../support/start-local-gateway.ts'
import { until } from '../../support/until.ts'
import { deliver, envelope } from '../../support/webhook.ts'
import { ranksOf } from '../../support/ranks.ts'

const key = 'a-key-of-the-corner-pharmacy-for-tests'
const older = 'an-older-key-of-the-corner-pharmacy-1'
const keyOfChain = 'a-key-of-the-chain-of-pharmacies-test'
const feedKeys = {
  corner: { ncpdp_ids: ['1111111', '1111112'], key: `${key},${older}` },
  chain: { ncpdp_ids: ['2222222'], key: keyOfChain },
}

/** Shape of a page as documented. */
const Page = z.strictObject({ next: z.int(), more: z.boolean(), notices: z.array(TransferNotice.strict()) })

let service: ReturnType<typeof createScriptedApi>
let gateway: LocalGateway
beforeEach(async () => {
  service = createScriptedApi()
  gateway = await startLocalGateway(
    { api: service.api },
    { PHARMACY_FEED_KEYS: JSON.stringify(feedKeys), CASE_URL: 'https://clinic.example/cases/{id}?from=rx' },
  )
})
afterEach(() => gateway.destroy())

/** The transfer went to these pharmacies, one after the other. */
async function transfer(ids: readonly string[], different: Record<string, unknown> = {}, id = 'pa_req_1') {
  const attempts = ids.map((pharmacy_ncpdp_id) => ({ timestamp: '2026-03-01T10:00:00Z', pharmacy_ncpdp_id }))
  const transfer = sampleTransfer({ transfer_attempts: attempts, ...different })
  const pa = samplePriorAuthorization({ id, status: 'completed', prescription_transfer: transfer })
  service.set(pa)
  await deliver(gateway.url, envelope(pa, 'prior_authorization.prescription_transfer_change'))
}

const ask = (
  path: string,
  { as = key, ...init }: { as?: string; method?: string; headers?: Record<string, string> } = {},
) => fetch(`${gateway.url}${path}`, { ...init, headers: { authorization: `Bearer ${as}`, ...init.headers } })

async function read(query = '', as = key) {
  const answer = await ask(`/pharmacy/transfers${query}`, { as })
  expect(answer.status).toBe(200)
  return Page.parse(await answer.json())
}

async function refusal(answer: Response) {
  const { error } = z.object({ error: z.object({ code: z.string(), message: z.string() }) }).parse(await answer.json())
  return [answer.status, error.code]
}

/** Waits until a pharmacy can read so many notices. */
const untilRead = (count: number, as = key) =>
  until(`${count} notices`, async () => (await read('', as)).notices.length === count)

/** The only notice of a resource, as the story, the page and `pawl show` tell it; times as `…`. */
async function told(id: string) {
  const get = async (path: string) => (await fetch(`${gateway.adminUrl}${path}`)).text()
  const story = Story.parse(JSON.parse(await get(`/api/resources/${id}/story`)))
  const entries = story.entries.flatMap((each) => (each.kind === 'notice' ? [each] : []))
  expect(entries).toHaveLength(1)
  const [{ at: _, noticeId, ...entry } = { at: '', noticeId: '' }] = entries
  const words = (await get(`/resources/${id}`))
    .replaceAll(/<time.*?<\/time>/gs, '…')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/\s+/g, ' ')
  const page = /for pharmacy .*?: (?:not read yet|read …, not acknowledged|acknowledged by \w+ …)/.exec(
    words.slice(words.indexOf(noticeId)),
  )?.[0]
  const command = describeStory(story)
    .find((line) => line.includes(' notice '))
    ?.replaceAll(/\d{4}-\d\d-\d\d [\d:]+Z/g, '…')
    .replace(noticeId, '…')
    .replaceAll(/ +/g, ' ')
  return { entry, page, command }
}

describe('the feed of transfers', () => {
  it('returns every state of the transfers of its reader in order, also a repeated one, and none of others', async () => {
    await transfer(['1111111'], { confirmed: false })
    await untilRead(1)
    await transfer(['1111111'], { confirmed: true })
    await untilRead(2)
    await transfer(['1111111'], { confirmed: false })
    await untilRead(3)
    await transfer(['2222222'], {}, 'pa_req_2')
    await untilRead(1, keyOfChain)
    await transfer(['1111112'], {}, 'pa_req_3')
    await untilRead(4)
    const { notices, next, more } = await read()
    const told = notices.map(({ data }) => [data.prior_authorization_id, data.confirmed])
    expect(told.slice(0, 3)).toEqual([
      ['pa_req_1', false],
      ['pa_req_1', true],
      ['pa_req_1', false],
    ])
    expect(ranksOf(notices.slice(0, 3).map(({ sequence }) => sequence))).toEqual([1, 2, 3])
    expect(told[3]?.[0]).toBe('pa_req_3')
    expect(new Set(notices.map(({ id }) => id)).size).toBe(4)
    expect(notices[0]?.case_url).toBe('https://clinic.example/cases/pa_req_1?from=rx')
    expect(more).toBe(false)
    expect(await read(`?after=${next}`)).toEqual({ next, more: false, notices: [] })
    expect((await read('', keyOfChain)).notices.map(({ data }) => data.prior_authorization_id)).toEqual(['pa_req_2'])
    expect((await read('?ncpdp_id=1111112')).notices).toHaveLength(1)
  })

  it('comes in pages of JSON or CSV, each with a link to the next', async () => {
    for (const confirmed of [false, true, false]) {
      const before = (await read()).notices.length
      await transfer(['1111111'], { confirmed })
      await untilRead(before + 1)
    }
    const seen: number[] = []
    for (let [after, more] = [0, true]; more;) {
      const page = await read(`?after=${after}&limit=2`)
      seen.push(...page.notices.map(({ sequence }) => sequence))
      ;[after, more] = [page.next, page.more]
    }
    expect(ranksOf(seen)).toEqual([1, 2, 3])
    const csv = await ask('/pharmacy/transfers?limit=2', { headers: { accept: 'text/csv' } })
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/)
    const lines = (await csv.text()).split('\r\n')
    expect(lines[0]).toMatch(/^id,type,sequence,timestamp,data\.prior_authorization_id,.*,case_url$/)
    expect(lines.filter((line) => line.startsWith('msg_'))).toHaveLength(2)
    expect(Number(csv.headers.get('next-after'))).toBe((await read('?limit=2')).next)
    expect(csv.headers.get('link')).toBe(
      `</pharmacy/transfers?limit=2&after=${csv.headers.get('next-after')}>; rel="next"`,
    )
    expect(await (await ask('/pharmacy/transfers?format=csv&after=9007199254740')).json()).toMatchObject({
      error: { code: 'number_unknown' },
    })
  })

  it('waits for a notice on request, and marks an unchanged answer by its ETag', async () => {
    const waiting = ask('/pharmacy/transfers?wait=30')
    await sleep(200)
    await transfer(['1111111'])
    const answer = await waiting
    expect(Page.parse(await answer.json()).notices).toHaveLength(1)
    const etag = answer.headers.get('etag') ?? ''
    const again = await ask('/pharmacy/transfers', { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const other = await ask('/pharmacy/transfers?format=csv', { headers: { 'if-none-match': etag } })
    expect(other.status).toBe(200)
    const began = performance.now()
    const { next } = await read()
    expect((await read(`?after=${next}&wait=1`)).notices).toEqual([])
    expect(performance.now() - began).toBeGreaterThan(900)
  })

  it('serves at most ten waiting requests, which end with the process', async () => {
    const waiting = Array.from({ length: 10 }, () => ask('/pharmacy/transfers?wait=30'))
    await sleep(500)
    const more = await ask('/pharmacy/transfers?wait=30')
    expect(more.headers.get('retry-after')).toBe('5')
    expect(await refusal(more)).toEqual([429, 'too_many_waiting'])
    expect((await ask('/pharmacy/transfers?wait=1', { as: keyOfChain })).status).toBe(200)
    await gateway.close()
    expect(await Promise.all(waiting.map(async (each) => (await each).status))).toEqual(Array.from(waiting, () => 200))
  })

  it('records reads and acknowledgements once, with the reader', async () => {
    await transfer(['1111111'])
    const noticesOf = async () => (await gateway.ledger.history('pa_req_1', 10, {}))?.notices ?? []
    await until('the notice', async () => (await noticesOf()).length === 1)
    const [{ sequence } = { sequence: 0 }] = await noticesOf()
    expect(await told('pa_req_1')).toEqual({
      entry: { kind: 'notice', sequence, ncpdpId: '1111111' },
      page: `for pharmacy 1111111 (number ${sequence} of the feed): not read yet`,
      command: `… notice pharmacy 1111111 not read yet …, number ${sequence} of the feed`,
    })
    const [notice] = (await read()).notices
    expect(await told('pa_req_1')).toEqual({
      entry: { kind: 'notice', sequence, ncpdpId: '1111111', readAt: expect.any(String) },
      page: `for pharmacy 1111111 (number ${sequence} of the feed): read …, not acknowledged`,
      command: `… notice pharmacy 1111111 read … …, number ${sequence} of the feed`,
    })
    const path = `/pharmacy/transfers/${notice?.id}/acknowledgement`
    const first: unknown = await (await ask(path, { method: 'PUT' })).json()
    expect(await told('pa_req_1')).toMatchObject({
      entry: { acknowledgedAt: expect.any(String), acknowledgedBy: 'corner' },
      page: `for pharmacy 1111111 (number ${sequence} of the feed): acknowledged by corner …`,
      command: `… notice pharmacy 1111111 acknowledged by corner … …, number ${sequence} of the feed`,
    })
    expect(first).toEqual({ id: notice?.id, acknowledged_at: expect.any(String) })
    expect(await (await ask(path, { method: 'PUT', as: older })).json()).toEqual(first)
    expect(await refusal(await ask(path, { method: 'PUT', as: keyOfChain }))).toEqual([404, 'notice_unknown'])
    expect(await refusal(await ask(path))).toEqual([405, 'method_not_allowed'])
    const trail = await gateway.ledger.readAudit({ resourceId: undefined }, 100)
    const acts = trail.filter(({ actor }) => actor.via === 'feed')
    expect(new Set(acts.map(({ action }) => action))).toEqual(new Set(['feed.read', 'feed.acknowledge']))
    expect(acts[0]).toMatchObject({ actor: { name: 'corner' }, details: { count: 1, resources: ['pa_req_1'] } })
    const history = await gateway.ledger.history('pa_req_1', 10, {})
    expect(history?.notices).toMatchObject([{ reader: '1111111', acknowledgedBy: 'corner' }])
  })

  it('answers HEAD like GET, without recording a read', async () => {
    await transfer(['1111111'])
    const states = async () => (await gateway.ledger.history('pa_req_1', 10, {}))?.notices.map(({ readAt }) => readAt)
    await until('its notice is there', async () => (await states())?.length === 1)
    const head = await ask('/pharmacy/transfers', { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect((await states())?.[0]).toBeUndefined()
    const trail = await gateway.ledger.readAudit({ resourceId: undefined }, 100)
    expect(trail.filter(({ actor }) => actor.via === 'feed')).toEqual([])
    expect(head.headers.get('next-after')).toBe(String((await read()).next))
    expect((await states())?.[0]).toEqual(expect.anything())
  })

  it('refuses invalid queries with advice', async () => {
    expect(await refusal(await fetch(`${gateway.url}/pharmacy/transfers`))).toEqual([401, 'key_missing'])
    expect(await refusal(await ask('/pharmacy/transfers', { as: 'wrong' }))).toEqual([401, 'key_wrong'])
    for (const query of [
      'after=-1',
      'after=x',
      'limit=501',
      'limit=0',
      'wait=31',
      'format=xml',
      'since=1',
      'after=1&after=2',
    ])
      expect(await refusal(await ask(`/pharmacy/transfers?${query}`)), query).toEqual([400, 'bad_query'])
    expect(await refusal(await ask('/pharmacy/transfers?ncpdp_id=2222222'))).toEqual([403, 'not_your_pharmacy'])
    expect(await refusal(await ask('/pharmacy/transfers?after=7'))).toEqual([410, 'number_unknown'])
    expect(await refusal(await ask('/pharmacy/transfers', { method: 'DELETE' }))).toEqual([405, 'method_not_allowed'])
    expect((await ask('/pharmacy/transfers/msg_1')).status).toBe(404)
  })

  it('tells a pharmacy about missed notices that retention deleted', async () => {
    for (const id of ['pa_req_1', 'pa_req_2']) await transfer(['1111111'], {}, id)
    await untilRead(2)
    const [first, second] = (await read()).notices
    const { next: afterFirst } = await read('?limit=1')
    // Times have passed once the clock has moved on.
    await until('the next millisecond', () => Date.now() > Date.parse(second?.timestamp ?? ''))
    await gateway.ledger.purge({ keepMs: 0, parkedKeepMs: 0, reportKeepMs: 0 }, 0)
    const [status, code] = await refusal(await ask(`/pharmacy/transfers?after=${afterFirst}`))
    expect([status, code]).toEqual([410, 'notices_deleted'])
    expect((await read('?after=0')).notices).toEqual([])
    const acknowledge = (id = '') => ask(`/pharmacy/transfers/${id}/acknowledgement`, { method: 'PUT' })
    expect(await refusal(await acknowledge(second?.id))).toEqual([410, 'notice_deleted'])
    expect(await refusal(await acknowledge(first?.id))).toEqual([404, 'notice_unknown'])
  })

  it('limits wrong keys, not the right one, and records them without the key', async () => {
    const statuses: number[] = []
    for (let tries = 0; tries < 11; tries += 1)
      statuses.push((await ask('/pharmacy/transfers', { as: `wrong-${tries}` })).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
    const limited = await ask('/pharmacy/transfers', { as: 'wrong-again' })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refusal(limited)).toEqual([429, 'too_many_wrong_keys'])
    expect((await ask('/pharmacy/transfers')).status).toBe(200)
    const [refused] = await until('the entry', async () => {
      const entries = await gateway.ledger.readAudit({ action: 'person.refuse' }, 10)
      return entries.length > 0 && entries
    })
    expect(refused).toMatchObject({ actor: { name: 'unknown', via: 'feed' }, details: { by: 'key' } })
    expect(JSON.stringify(refused)).not.toContain('wrong-')
  })
})

it('a pharmacy that lost the transfer is told so once, without the patient', async () => {
  await transfer(['1111111'])
  await untilRead(1)
  await transfer(['1111111', '2222222'])
  await untilRead(2)
  await untilRead(1, keyOfChain)
  await transfer(['1111111', '2222222'], { confirmed: true })
  await untilRead(2, keyOfChain)
  const [, lost, ...others] = (await read()).notices
  expect(others).toEqual([])
  expect(lost).toMatchObject({
    case_url: null,
    data: { prior_authorization_id: 'pa_req_1', status: 'superseded', pharmacy_ncpdp_id: '1111111' },
  })
  expect(Object.values(lost?.data.patient ?? {})).toEqual([null, null, null, null])
  const ofChain = (await read('', keyOfChain)).notices
  expect(ranksOf([lost?.sequence ?? 0, ...ofChain.map(({ sequence }) => sequence)])).toEqual([1, 2, 3])
  await transfer(['1111111', '2222222', '1111111'])
  await untilRead(3)
  await transfer(['1111111', '2222222', '1111111', '2222222'])
  await untilRead(4)
  expect((await read()).notices.map(({ data }) => data.status === 'superseded')).toEqual([false, true, false, true])
})

it('the feed is absent without PHARMACY_FEED_KEYS', async () => {
  const without = await startLocalGateway()
  try {
    const answer = await fetch(`${without.url}/pharmacy/transfers`, { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status).toBe(404)
  } finally {
    await without.destroy()
  }
})
