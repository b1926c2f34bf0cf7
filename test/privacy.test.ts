import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { eventKinds, defineHandler, type HandlerContext } from '#pawl'
import { tellTransfer } from '../packages/pharmacy/src/tell-transfer.ts'
import { formatNotices, nameOfBatch, nameOfNotice } from '../packages/pharmacy/src/sftp/transfer-file.ts'
import { readTablePlan, toRow } from '../packages/pharmacy/src/sql/table-plan.ts'
import { dialectOf } from '../packages/connector/src/sql/dialects.ts'
import { BenefitVerification } from '../packages/client/src/schemas/benefit-verification.ts'
import { Message, PriorAuthorization } from '../packages/client/src/schemas/prior-authorization.ts'
import { createDigest } from '../packages/connector/src/digest.ts'
import { openHl7 } from '../packages/ehr/test/hl7/open-hl7.ts'
import { canaries, everyCanary, findCanaries } from './support/canaries.ts'
import {
  type CanaryWorld,
  canaryResource,
  faultWords,
  patientNumber,
  startCanaryWorld,
} from './support/canary-world.ts'
import { createDigestSearch } from './support/find-digests.ts'
import { startHl7Listener } from './support/hl7-listener.ts'
import { capturePrinted, type Printed } from './support/printed.ts'
import { describeWithRedis } from './support/redis.ts'
import { createTestRun, type TestRun } from './support/run-context.ts'
import { sampleMessage } from './support/samples.ts'
import { until } from './support/until.ts'
import { deliver, envelope, signToken } from './support/webhook.ts'

const { firstName, lastName, birthDate, memberNumber, mrn, phone, drugName } = canaries
/** Values that an attacker with a copy may try. */
const guessed = { patientNumber, firstName, lastName, birthDate, memberNumber, mrn, phone, drugName }

type Context = HandlerContext<'prior_authorization.status_change'>

/** Ways in which a careless handler gives away what it knows, by a word in the id. */
const leaks: Record<string, (context: Context) => unknown> = {
  message: () => {
    throw new Error(everyCanary)
  },
  // A frame of a foreign stack, quoted in a message.
  frame: () => {
    throw new Error(`remote:\n    at ${canaries.lastName} (${canaries.mrn}:12:34)`)
  },
  cause: () => {
    throw new TypeError('x', { cause: new Error(everyCanary) })
  },
  code: () => {
    throw Object.assign(new Error('x'), { code: everyCanary, name: everyCanary, detail: everyCanary })
  },
  text: () => {
    // eslint-disable-next-line typescript/only-throw-error -- that is the case under test
    throw everyCanary
  },
  object: () => {
    // eslint-disable-next-line typescript/only-throw-error -- that is the case under test
    throw { message: everyCanary, code: everyCanary }
  },
  aggregate: () => {
    throw new AggregateError([new Error(everyCanary)], everyCanary)
  },
  schema: () => z.strictObject({ [canaries.firstName]: z.literal(canaries.lastName) }).parse({ [canaries.mrn]: 1 }),
  json: () => JSON.parse(everyCanary),
  address: () => fetch(`http://127.0.0.1:9/${canaries.memberNumber}?name=${canaries.lastName}`),
  log: ({ log }) => {
    const careless = { patient: everyCanary, error: new Error(everyCanary), resource_id: { name: everyCanary } }
    // The types forbid it; JavaScript does not.
    log.error(careless as never, 'a careless line')
  },
  once: ({ once }) =>
    once('greeting', () => {
      throw new Error(everyCanary)
    }),
}

const careless = defineHandler({
  name: 'careless',
  on: ['prior_authorization.status_change'],
  async handle(context) {
    const word = Object.keys(leaks).find((each) => context.resource.id === `pa_req_leak_${each}`)
    if (word !== undefined) await leaks[word]?.(context)
  },
})

const faultyIds = [
  ...Object.keys(leaks).map((word) => `pa_req_leak_${word}`),
  ...faultWords.map((word) => `pa_req_${word}`),
]
const goodIds = ['pa_req_good', 'bv_good']
/** A resource whose codes and fields are named like people: how far handlers come with it, is theirs. */
const strangeId = 'pa_req_codes'

describeWithRedis('names, dates, numbers, texts, tokens and secrets', () => {
  let world: CanaryWorld
  let printed: Printed
  /** Commands and content of Redis, over its lives. */
  let redisSaw: string
  /** Answers to the sender and to strangers. */
  let answered: string
  let shown: string
  let filesWhileOpen: string

  beforeAll(async () => {
    printed = capturePrinted()
    world = await startCanaryWorld([careless])
    const monitor = await world.redis.monitor()
    const answers: string[] = []
    const keep = async (response: Response) => void answers.push(`${response.status} ${await response.text()}`)

    for (const id of [...goodIds, ...faultyIds, strangeId]) await keep(await sendHint(id))
    for (const send of Object.values(strangeRequests)) await keep(await send(world.gateway.url, world.gateway.adminUrl))
    await withGoodOnesBetween(() => Promise.all([...goodIds, ...faultyIds, strangeId].map(isSettled)))
    redisSaw = `${monitor.text()}\n${await world.redis.dump()}`

    await world.redis.stop()
    await keep(await sendHint('pa_req_without_redis'))
    await isSettled('pa_req_without_redis')
    await world.redis.restart()
    const second = await world.redis.monitor()
    await until('pawl has Redis again', () => world.log.text().includes('queue available again'))
    await keep(await sendHint('pa_req_after_redis'))
    await isSettled('pa_req_after_redis')
    redisSaw += `\n${second.text()}\n${await world.redis.dump()}`

    const drift = world.log.lines().filter(({ msg }) => String(msg).startsWith('the service sent a name or code'))
    expect(drift.length).toBeGreaterThanOrEqual(8)
    answered = answers.join('\n')
    shown = await readAdmin()
    filesWhileOpen = await world.readLedgerFiles()
  })
  afterAll(async () => {
    await world.close()
    printed.stop()
  })

  async function sendHint(id: string): Promise<Response> {
    const eventType = id.startsWith('bv_') ? 'benefit_verification.status_change' : undefined
    const token = await signToken({ sub: canaries.lastName }, canaries.webhookSecret)
    const body = { ...envelope(canaryResource(id), eventType), title: everyCanary, description: canaries.message }
    return deliver(world.gateway.url, body, { token })
  }

  /** Where only faulty resources ask a system, it looks away, and they wait for it instead of being parked. Of the good ones no more are in hand than a slow machine bears. */
  async function withGoodOnesBetween(work: () => Promise<unknown>): Promise<void> {
    let sent = 0
    const over = new AbortController()
    const keepSending = async () => {
      while (!over.signal.aborted) {
        const id = `pa_req_good_${++sent}`
        await sendHint(id)
        await isSettled(id)
      }
    }
    const sending = Array.from({ length: 5 }, keepSending)
    await work().finally(() => over.abort())
    await Promise.all(sending)
  }

  /** Every handler that follows the resource is in sync or parked. */
  async function isSettled(id: string): Promise<void> {
    const handlerNames = id.startsWith('bv_') ? 1 : 7
    const isDone = async () => {
      const progress = (await world.gateway.ledger.resource(id))?.progress ?? []
      return progress.length === handlerNames && progress.every(({ state }) => state !== 'due')
    }
    await until(`${id} is settled`, isDone, 150_000)
  }

  async function readAdmin(): Promise<string> {
    const authorization = `Basic ${Buffer.from(`pawl:${canaries.adminPassword}`).toString('base64')}`
    const paths = [
      '/readyz',
      '/metrics',
      '/api/status',
      '/api/alerts',
      '/api/alerts/history',
      '/alerts',
      '/api/parked',
      '/api/events',
      `/api/resources/${strangeId}`,
      `/api/resources/${strangeId}/story`,
      ...faultyIds.map((id) => `/api/resources/${id}`),
      ...[...goodIds, ...faultyIds].map((id) => `/api/resources/${id}/story`),
    ]
    const texts = paths.map(async (path) => {
      const response = await fetch(`${world.gateway.adminUrl}${path}`, { headers: { authorization } })
      expect(response.status).toBe(200)
      return response.text()
    })
    return (await Promise.all(texts)).join('\n')
  }

  it('reach the chart and the pharmacy, where they belong', async () => {
    const chart = JSON.stringify([
      ...(await world.fhir.search('Task')),
      ...(await world.fhir.search('ClaimResponse')),
      ...(await world.fhir.search('Communication')),
      ...(await world.fhir.search('CoverageEligibilityResponse')),
    ])
    for (const name of ['outcomeDetail', 'message', 'drugName'] as const) expect(chart).toContain(canaries[name])
    expect(world.pharmacyGot.join('\n')).toContain('pa_req_good')
    const resource = await world.gateway.ledger.resource('pa_req_good')
    expect(resource?.progress.map(({ state }) => state)).toEqual(Array(7).fill('synced'))
  })

  it('were on every faulty way, too', async () => {
    const parked = (await world.gateway.ledger.work({ state: 'parked' }, 1_000)).rows
    const parkedIds = new Set(parked.map(({ resourceId }) => resourceId))
    const quiet = ['pa_req_leak_log', 'pa_req_apiother']
    expect(faultyIds.filter((id) => !parkedIds.has(id) && !quiet.includes(id))).toEqual([])
    const messages = new Set(world.log.lines().map(({ msg }) => msg))
    const expected = [
      'delivery refused',
      'handler parked',
      'a careless line',
      'queue unavailable: the sweeper takes over until QUEUE_URL answers',
    ]
    expect(expected.filter((message) => !messages.has(message))).toEqual([])
  })

  it('are in no line of the log', () => {
    expect(world.log.text()).toContain('pa_req_leak_message')
    expect(findCanaries(world.log.text())).toEqual([])
    expect(world.log.text()).not.toContain('kanari')
  })

  it('are printed by no library either', () => {
    expect(findCanaries(printed.text())).toEqual([])
  })

  it('never come to Redis', () => {
    expect(redisSaw).toContain('pa_req_good')
    expect(redisSaw).toContain('pa_req_after_redis')
    expect(findCanaries(redisSaw)).toEqual([])
  })

  it('are not in metrics, readiness, parked work or the state of a resource', () => {
    expect(shown).toContain('pawl_deliveries_total')
    expect(shown).toContain('pa_req_leak_message')
    expect(findCanaries(shown)).toEqual([])
  })

  it('are in no answer to a sender or a stranger', () => {
    expect(answered).toContain('not_an_envelope')
    expect(findCanaries(answered)).toEqual([])
  })

  it('are not readable in the files of the ledger, neither while it is open nor afterwards', async () => {
    expect(filesWhileOpen).toContain('pa_req_good')
    expect(findCanaries(filesWhileOpen)).toEqual([])
    await world.gateway.close()
    const filesAfterwards = await world.readLedgerFiles()
    expect(filesAfterwards).toContain('pa_req_good')
    expect(findCanaries(filesAfterwards)).toEqual([])
  })

  it('have no digest that could be tried without a key, in ledger, Redis, log, chart or pharmacy', () => {
    const find = createDigestSearch(guessed)
    const coverages = world.chartGot.filter((text) => text.includes('"resourceType":"Coverage"'))
    expect(coverages.length).toBeGreaterThan(0)
    const places = {
      ledger: filesWhileOpen,
      redis: redisSaw,
      log: world.log.text(),
      chart: world.chartGot.join('\n'),
      pharmacy: world.pharmacyGot.join('\n'),
    }
    const found = Object.entries(places).flatMap(([place, bytes]) => find(bytes).map((each) => `${place}: ${each}`))
    expect(found).toEqual([])
    // It finds them where they are.
    const list = JSON.stringify(['internal_id', null, patientNumber, birthDate])
    for (const form of ['hex', 'base64', 'base64url', 'latin1'] as const)
      for (const text of [memberNumber, `${mrn}|${birthDate}`, list])
        expect(
          find(
            `"5${createHash('sha256')
              .update(text)
              .digest(form === 'latin1' ? 'binary' : form)}`,
          ),
        ).not.toEqual([])
  })

  it('are found by this test where they are', () => {
    const hidden = Object.values(canaries).map((value, index) => Buffer.from(`${'x'.repeat(index % 3)}${value}!`))
    const found = hidden.flatMap((bytes) => [bytes.toString(), bytes.toString('base64'), bytes.toString('hex')])
    expect(found.filter((text) => findCanaries(`{"a":"${text}"}`).length === 0)).toEqual([])
  })
})

it('have no such digest in what HL7, SFTP and SQL remember and send, either', async () => {
  const remembered: unknown[] = []
  const sent: unknown[] = []
  const plain = createTestRun({ digest: createDigest(randomBytes(32)) })
  const write: TestRun['memory']['write'] = (role, what) => {
    remembered.push([role, what])
    return plain.memory.write(role, what)
  }
  const run = { ...plain, memory: { ...plain.memory, write } }
  const pa = PriorAuthorization.parse(canaryResource('pa_req_good'))
  const bv = BenefitVerification.parse(canaryResource('bv_good'))

  const listener = await startHl7Listener()
  const hl7 = openHl7(listener.port)
  const ehr = hl7.open(run)
  await ehr.putPriorAuthorization(pa)
  await ehr.putBenefitVerification(bv)
  await ehr.putPrescriptionTransfer(pa)
  await ehr.putMessage(pa, Message.parse(sampleMessage({ content: canaries.message })))
  await ehr.putNote(pa, { key: memberNumber, title: 'Note', text: drugName })
  await ehr.openStaffTask(pa, { key: birthDate, reason: 'awaiting_review', title: 'Review it' })
  sent.push(...listener.received.map(String))
  await hl7.close?.()
  await listener.close()
  expect(sent.join('\n')).toContain(canaries.message)

  const dialect = dialectOf('postgres://127.0.0.1')
  if (dialect === undefined) throw new Error('PostgreSQL has no dialect')
  await tellTransfer(pa, run, {
    clock: Date,
    async send(notice) {
      for (const format of ['csv', 'ndjson'] as const) {
        const names = [nameOfNotice(notice, format), nameOfBatch([notice], format, Date.now())]
        sent.push(...names, formatNotices([notice], format).toString())
      }
      sent.push(toRow(readTablePlan({}), notice, dialect))
    },
  })
  expect(remembered.length).toBeGreaterThan(10)
  const find = createDigestSearch(guessed)
  expect(find([remembered, sent].map((each) => JSON.stringify(each)).join('\n'))).toEqual([])
})

/** Deliveries and questions that are refused, each with canaries wherever a careless receiver might quote them. */
const strangeRequests: Record<string, (url: string, adminUrl: string) => Promise<Response>> = {
  'a wrong secret': async (url) => deliver(url, everyCanary, { token: await signToken({ sub: canaries.lastName }) }),
  'an expired token': async (url) =>
    deliver(url, everyCanary, { token: await signToken({ exp: 1, sub: canaries.lastName }, canaries.webhookSecret) }),
  'the secret itself as token': (url) => deliver(url, everyCanary, { token: canaries.webhookSecret }),
  'a name as token': (url) => deliver(url, everyCanary, { token: canaries.lastName }),
  'not JSON': async (url) => deliver(url, everyCanary, { token: await goodToken() }),
  'no envelope': async (url) => deliver(url, { [canaries.lastName]: everyCanary }, { token: await goodToken() }),
  'an id that is a name': async (url) =>
    deliver(url, envelope({ id: `${canaries.firstName} ${canaries.lastName}` }), { token: await goodToken() }),
  'an unknown type': async (url) =>
    deliver(url, envelope(canaryResource('pa_req_unknown'), 'prior_authorization.brand_new'), {
      token: await goodToken(),
    }),
  'an unknown type that is a name, in fields and with claims that are names': async (url) => {
    const body = { ...envelope({ id: 'pa_req_unknown' }, canaries.lastName), [canaries.drugName]: 1 }
    const token = await signToken({ [canaries.firstName]: 1 }, canaries.webhookSecret)
    return deliver(url, { ...body, event_id: `${canaries.firstName} ${canaries.lastName}` }, { token })
  },
  'a trace that is a name': async (url) =>
    fetch(`${url}/webhooks`, {
      method: 'POST',
      headers: {
        'x-webhook-secret': await goodToken(),
        'content-type': 'application/json',
        traceparent: canaries.lastName,
        tracestate: `${canaries.lastName.toLowerCase()}=1`,
        baggage: `name=${canaries.lastName}`,
      },
      body: JSON.stringify(envelope({ id: 'pa_req_unknown' }, 'prior_authorization.brand_new')),
    }),
  'a body too large': async (url) => deliver(url, everyCanary.repeat(20_000), { token: await goodToken() }),
  'a content type': (url) =>
    fetch(`${url}/webhooks`, { method: 'POST', headers: { 'content-type': canaries.lastName }, body: everyCanary }),
  'a method and a query': (url) => fetch(`${url}/webhooks?name=${canaries.lastName}`),
  'a path': (url) => fetch(`${url}/${canaries.lastName}/${canaries.memberNumber}`),
  'an outreach event, whose payload is all there is': async (url) => {
    const data = { id: 'prov_outreach_1', state: 'sent', transmission: { text: everyCanary } }
    const type = Object.keys(eventKinds).find((each) => each.includes('outreach'))
    return deliver(url, { ...envelope(data, type), event_id: 'wh_evt_1' }, { token: await goodToken() })
  },
  'an admin without password': (_, adminUrl) => fetch(`${adminUrl}/api/parked`),
  'an admin with a wrong password': (_, adminUrl) =>
    fetch(`${adminUrl}/api/parked`, { headers: { authorization: `Basic ${canaries.lastName}` } }),
  'an admin who sends no JSON': (_, adminUrl) => release(adminUrl, everyCanary),
  'an admin who sends unknown keys': (_, adminUrl) =>
    release(adminUrl, JSON.stringify({ [canaries.lastName]: everyCanary })),
  'an admin who looks for a name': (_, adminUrl) => find(adminUrl, { value: canaries.lastName }),
  'an admin who looks for a number that a patient has': (_, adminUrl) => find(adminUrl, { value: canaries.mrn }),
  'an admin who looks in a field of that name': (_, adminUrl) =>
    find(adminUrl, { value: canaries.mrn, fields: [canaries.lastName] }),
  'an admin who asks for a story by a name': (_, adminUrl) =>
    fetch(`${adminUrl}/api/resources/${canaries.lastName}/story?before=${canaries.mrn}`, {
      headers: { authorization: admin },
    }),
  'an admin who asks for a name': (_, adminUrl) =>
    fetch(`${adminUrl}/api/resources/${encodeURIComponent(canaries.lastName)}`, { headers: { authorization: admin } }),
}

const admin = `Basic ${Buffer.from(`pawl:${canaries.adminPassword}`).toString('base64')}`

function find(adminUrl: string, sought: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: admin }
  return fetch(`${adminUrl}/api/resources/find`, { method: 'POST', headers, body: JSON.stringify(sought) })
}

function goodToken(): Promise<string> {
  return signToken({}, canaries.webhookSecret)
}

function release(adminUrl: string, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: admin }
  return fetch(`${adminUrl}/api/retry`, { method: 'POST', headers, body })
}
