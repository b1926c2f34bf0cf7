import { expect, it } from 'vitest'
import { createCredentials } from '../../../console/src/access/credentials.ts'
import { createLoginLimits, originOf } from '../../src/net/login-limits.ts'

const own = 'a-password-of-their-own'
const shared = 'a-password-that-serves-all'
const users = ['vera', 'olga'].map((name) => ({ name, roles: ['viewer' as const], password: `hash of ${name}` }))
const here = originOf('127.0.0.1', false)

function createCheck({ sharedPassword }: { sharedPassword?: string } = {}) {
  const time = { now: 0 }
  const limits = createLoginLimits({ isShared: sharedPassword !== undefined, elapsed: () => time.now })
  let hashed = 0
  const verify = (password: string) => Promise.resolve(++hashed > 0 && password === own)
  const { check } = createCredentials({ sharedPassword, users, limits, verify })
  const outcome = async (name: string, password: string, origin = '192.0.2.7') => {
    const verdict = await check({ name, password }, origin)
    return 'proven' in verdict ? 'right' : 'wrong' in verdict ? 'wrong' : verdict.retryAfterSeconds
  }
  return { outcome, time, hashed: () => hashed }
}
type Outcome = ReturnType<typeof createCheck>['outcome']

/** How many guesses were looked at before the first that was not. */
async function guess(outcome: Outcome, name: (n: number) => string, origin: (n: number) => string, times = 150) {
  for (let n = 0; n < times; n += 1) if (typeof (await outcome(name(n), `guess-${n}`, origin(n))) === 'number') return n
  return times
}

it('the limit of logins counts concurrent guesses before it checks any, even after a successful login', async () => {
  const { outcome, time } = createCheck()
  expect(await outcome('vera', own)).toBe('right')
  const many = Array.from({ length: 300 }, (_, n) => outcome('vera', n === 250 ? own : `guess-${n}`))
  const found = await Promise.all(many)
  expect(found.filter((each) => each === 'wrong')).toHaveLength(10)
  expect(found.filter((each) => each === 'right')).toEqual([])
  expect(await outcome('vera', own)).toBe(900)
  time.now += 600_000
  expect(await outcome('vera', own)).toBe(300)
  time.now += 300_000
  expect(await outcome('vera', own)).toBe('right')
})

it('the limit of logins does not delay one person for the guesses of another at the same address', async () => {
  const { outcome } = createCheck()
  expect(
    await guess(
      outcome,
      () => 'vera',
      () => here,
    ),
  ).toBe(10)
  expect(await outcome('olga', own, here)).toBe('right')
})

it('the limit of logins counts one wrong password once, however often a stale script sends it', async () => {
  const { outcome } = createCheck({ sharedPassword: shared })
  const [origin, name] = [here, 'maria@ops-1']
  for (let times = 0; times < 200; times += 1) expect(await outcome(name, 'the-old-password', origin)).toBe('wrong')
  await Promise.all(Array.from({ length: 50 }, () => outcome(name, 'another-old-password', origin)))
  expect(await outcome(name, shared, origin)).toBe('right')
})

it('the limit of logins holds back an address under all names, and counts requests through a proxy there apart', async () => {
  const { outcome } = createCheck({ sharedPassword: shared })
  const throughProxy = originOf('127.0.0.1', true)
  expect(
    await guess(
      outcome,
      (n) => `name-${n}`,
      () => throughProxy,
    ),
  ).toBe(30)
  expect(await outcome('maria@ops-1', shared, throughProxy)).toBeTypeOf('number')
  expect(await outcome('maria@ops-1', shared, here)).toBe('right')
})

it('the limit of logins holds back a name that is tried from everywhere, but not on this machine or where it was let in before', async () => {
  const { outcome } = createCheck()
  const known = '198.51.100.7'
  expect(await outcome('vera', own, known)).toBe('right')
  expect(
    await guess(
      outcome,
      () => 'vera',
      (n) => `203.0.113.${n}`,
    ),
  ).toBe(100)
  expect(await outcome('vera', own, '203.0.113.250')).toBeTypeOf('number')
  expect(await outcome('vera', own, known)).toBe('right')
  expect(await outcome('vera', own, here)).toBe('right')
  expect(await outcome('olga', own, '203.0.113.250')).toBe('right')
})

it('the limit of logins holds back guesses of the password that serves all under any name from everywhere', async () => {
  const { outcome } = createCheck({ sharedPassword: shared })
  expect(
    await guess(
      outcome,
      (n) => `name-${n}`,
      (n) => `203.0.113.${n}`,
    ),
  ).toBe(100)
})

it.each([undefined, shared])('answers unknown names as known ones (shared password: %s)', async (sharedPassword) => {
  const answers = async (name: string) => {
    const { outcome, hashed } = createCheck({ ...(sharedPassword !== undefined && { sharedPassword }) })
    const found: (string | number)[] = []
    const costs: number[] = []
    // Some of another name before them would show a count that all unknown names share.
    for (let n = 0; n < 5; n += 1) found.push(await outcome('nobody', `guess-${n}`))
    for (let n = 0; n < 12; n += 1) found.push(await outcome(name, `guess-${n}`))
    for (let n = 0; n < 100; n += 1) {
      found.push(await outcome(name, `guess-${n}`, `203.0.113.${n}`))
      costs.push(hashed())
    }
    return { found, costs }
  }
  expect(await answers('vera')).toEqual(await answers('nobody-else'))
})

it.each([
  ['192.0.2.7', '::ffff:192.0.2.7', true],
  ['192.0.2.7', '::ffff:c000:207', true],
  ['192.0.2.7', '192.0.2.8', false],
  ['127.0.0.1', '::1', true],
  ['127.0.0.1', '::ffff:127.0.0.1', true],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
])('%s and %s are one origin: %s', (one, other, isOne) => {
  expect(originOf(one, false) === originOf(other, false)).toBe(isOne)
})

it('the limit of logins lets a name in where it was let in before, though its password was known from elsewhere by then', async () => {
  const { outcome } = createCheck()
  expect(await outcome('vera', own, 'first')).toBe('right')
  expect(await outcome('vera', own, 'second')).toBe('right')
  await guess(
    outcome,
    () => 'vera',
    (n) => `origin-${n}`,
  )
  for (const origin of ['first', 'second']) expect(await outcome('vera', own, origin)).toBe('right')
})

it('the limit of logins is one origin, however a proxy writes its IPv6 address', () => {
  const spellings = ['2001:db8:1:1::5', '2001:0db8:1:1::6', '2001:DB8:1:1:0:0:0:7', '2001:db8:0001:1::8%eth0']
  expect(new Set(spellings.map((address) => originOf(address, false))).size).toBe(1)
  expect(originOf('2001:db8:1:2::5', false)).not.toBe(originOf(spellings[0], false))
})
