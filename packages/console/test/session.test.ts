import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type Express } from 'express'
import request from 'supertest'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createAddressRanges } from '../../base/src/net/address-ranges.ts'
import { createLoginLimits } from '../../base/src/net/login-limits.ts'
import { createAuthenticate } from '../src/access/authenticate.ts'
import { createCredentials } from '../src/access/credentials.ts'
import { createSessionClock } from '../src/access/session-clock.ts'
import { createSessions } from '../src/access/session.ts'
import { createGroupedNotes } from '../../ledger/src/audit/grouped-notes.ts'
import { createLedger } from '../../ledger/src/create-ledger.ts'
import type { Ledger } from '../../ledger/src/ledger.ts'
import { createSeal } from '../../ledger/src/sealing/seal.ts'
import { openSqlite } from '../../ledger/src/sqlite/open-sqlite.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { until } from '../../../test/support/until.ts'

const minute = 60_000
const key = Buffer.alloc(32, 7)
const olga = { name: 'olga', method: 'password', roles: ['operator' as const], mark: 'a-mark' } as const

let ledger: Ledger
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-sessions-'))
  ledger = createLedger({ storage: await openSqlite(join(folder, 'pawl.db'), Date), seal: createSeal([]) })
})
afterEach(async () => {
  await ledger.close()
  await rm(folder, { recursive: true })
})

/** An app that begins a session and lets it go on, at the time that the test sets. */
function createApp(clock: { now: number }, sealedWith: Uint8Array | 'none' = key): Express {
  const sessionClock = createSessionClock({ ledger, now: () => clock.now })
  const sessions = createSessions({ key: sealedWith === 'none' ? undefined : sealedWith, clock: sessionClock, ledger })
  const app = express()
  app.get('/begin', async (_req, res) => {
    await sessions.begin(res, { ...olga, roles: [...olga.roles] })
    res.end()
  })
  app.get('/end', async (req, res) => {
    await sessions.end(req, res)
    res.end()
  })
  app.get('/', async (req, res) => {
    const found = await sessions.read(req)
    if (found !== undefined && !found.isYoung) await sessions.renew(res, found.session)
    res.json({ name: found?.session.name ?? 'nobody', endsInMs: (found?.endsAt ?? clock.now) - clock.now })
  })
  return app
}

const cookieIn = ({ headers }: request.Response) => [headers['set-cookie']].flat()[0]?.split(';', 1)[0]
const nameOf = async (app: Express, cookie: string) => (await request(app).get('/').set('cookie', cookie)).body.name

async function begin(app: Express): Promise<string> {
  return cookieIn(await request(app).get('/begin')) ?? ''
}

it('a session ends after half an hour without a request', async () => {
  const clock = { now: 1_800_000_000_000 }
  const app = createApp(clock)
  const cookie = await begin(app)
  clock.now += 29 * minute
  expect(await nameOf(app, cookie)).toBe('olga')
  clock.now += 2 * minute
  expect(await nameOf(app, cookie)).toBe('nobody')
})

it('a session goes on while there are requests, for twelve hours and no longer', async () => {
  const clock = { now: 1_800_000_000_000 }
  const app = createApp(clock)
  let cookie = await begin(app)
  for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
    clock.now += 20 * minute
    const answer = await request(app).get('/').set('cookie', cookie)
    expect(answer.body.name).toBe('olga')
    cookie = cookieIn(answer) ?? cookie
  }
  clock.now += 19 * minute
  expect(await nameOf(app, cookie)).toBe('olga')
  clock.now += 2 * minute
  expect(await nameOf(app, cookie)).toBe('nobody')
})

it('a session cookie reveals nothing, and is invalid when altered or under another key', async () => {
  const clock = { now: 1_800_000_000_000 }
  const app = createApp(clock)
  const cookie = await begin(app)
  const decoded = cookie.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
  expect(decoded.join(' ')).not.toMatch(/olga|operator/)
  expect(await nameOf(createApp(clock), cookie)).toBe('olga')
  expect(await nameOf(createApp(clock, Buffer.alloc(32, 8)), cookie)).toBe('nobody')
  expect(await nameOf(createApp(clock, 'none'), cookie)).toBe('nobody')
  for (const altered of [cookie.slice(0, -6), `${cookie}AA`, '__Host-pawl=', '__Host-pawl=a.b.c.d.e'])
    expect(await nameOf(app, altered)).toBe('nobody')
})

/** The console's authentication, with a session that an identity provider began. */
async function createConsole(clock: { now: number }, providerMark: string) {
  const sessions = createSessions({ key, clock: createSessionClock({ ledger, now: () => clock.now }), ledger })
  const credentials = createCredentials({
    sharedPassword: undefined,
    users: [],
    limits: createLoginLimits({ isShared: false }),
  })
  const notes = createGroupedNotes({
    audit: () => Promise.resolve(true),
    stopping: new AbortController().signal,
    log: captureLog().log,
  })
  const trustedProxies = createAddressRanges([])
  const app = express()
  app.get('/begin', async (_req, res) => {
    await sessions.begin(res, { name: 'maria', method: 'oidc', roles: ['viewer'], mark: 'the provider then' })
    res.end()
  })
  app.use(
    createAuthenticate({
      credentials,
      sessions,
      proxy: undefined,
      trustedProxies,
      oidc: { issuer: 'https://login.clinic.example', mark: providerMark },
      isReserved: () => false,
      ledger,
      notes,
    }),
  )
  app.use((req, res) => void res.json({ name: req.access?.person?.name ?? 'nobody' }))
  return { app, cookie: await begin(app) }
}

it('a session is extended by pages that people open, not by what a page sends by itself, nor by a form, which may be refused', async () => {
  const clock = { now: 1_800_000_000_000 }
  const { app, cookie } = await createConsole(clock, 'the provider then')
  clock.now += 2 * minute
  const ask = (path: string, headers = {}) => request(app).get(path).set('cookie', cookie).set(headers)
  const byItself = await ask('/live', { 'hx-request': 'true' })
  expect([byItself.body.name, cookieIn(byItself)]).toEqual(['maria', undefined])
  const form = await request(app).post('/resources/find').set('cookie', cookie)
  expect([form.body.name, cookieIn(form)]).toEqual(['maria', undefined])
  expect(cookieIn(await ask('/events'))).toBeDefined()
})

it('a session of an identity provider ends with the setting of that provider', async () => {
  const clock = { now: 1_800_000_000_000 }
  for (const [mark, name] of [
    ['the provider then', 'maria'],
    ['another provider', 'nobody'],
  ] as const) {
    const { app, cookie } = await createConsole(clock, mark)
    expect(await nameOf(app, cookie)).toBe(name)
  }
})

it('a session that was ended stays ended after a restart, and in the other processes of its ledger', async () => {
  const clock = { now: 1_800_000_000_000 }
  const [app, other] = [createApp(clock), createApp(clock)]
  const [cookie, stays] = [await begin(app), await begin(app)]
  expect(await nameOf(other, cookie)).toBe('olga')
  await request(app).get('/end').set('cookie', cookie)
  for (const each of [app, other, createApp(clock)]) {
    expect(await nameOf(each, cookie)).toBe('nobody')
    expect(await nameOf(each, stays)).toBe('olga')
  }
  expect(await ledger.readAudit({ action: 'person.logout' }, 10)).toHaveLength(1)
})

it('an expired session stays expired when the clock of the machine is set back', async () => {
  const clock = { now: 1_800_000_000_000 }
  const app = createApp(clock)
  const cookie = await begin(app)
  clock.now += 31 * minute
  expect(await nameOf(app, cookie)).toBe('nobody')
  clock.now -= 20 * minute
  expect(await nameOf(app, cookie)).toBe('nobody')
  expect(await nameOf(app, await begin(app))).toBe('olga')
})

it('an expired session stays expired when the clock is set back while no process runs', async () => {
  const clock = { now: 1_800_000_000_000 }
  const cookie = await begin(createApp(clock))
  const running = createSessionClock({ ledger, now: () => clock.now, everyMs: 10 }).start()
  clock.now += 31 * minute
  const kept = Math.floor(clock.now / 1_000)
  await until('the time is kept', async () => ((await ledger.keepSessionTime(0)) ?? 0) >= kept)
  await running.close()
  clock.now -= 20 * minute
  const app = createApp(clock)
  expect(await nameOf(app, cookie)).toBe('nobody')
  expect(await nameOf(app, await begin(app))).toBe('olga')
})

it('an ended session is forgotten once its cookie has expired for good', async () => {
  const clock = { now: 1_800_000_000_000 }
  const app = createApp(clock)
  const ids = await Promise.all(
    [1, 2].map((until) => ledger.endSession({ id: `s${until}`, until }, { name: 'olga', via: 'admin' })),
  )
  expect(ids).toHaveLength(2)
  await begin(app)
  await ledger.endSession({ id: 's3', until: 2_000_000_000 }, { name: 'olga', via: 'admin' })
  expect(await Promise.all(['s1', 's2', 's3'].map((id) => ledger.isSessionEnded(id)))).toEqual([false, false, true])
})
