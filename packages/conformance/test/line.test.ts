import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Line, startLine } from '../../testing/src/lines/line.ts'
import { runHeader, showMark } from '../../testing/src/lines/run-mark.ts'
import { type FarSide, startFarSide } from '../../testing/src/far-side.ts'

let system: FarSide
let line: Line

beforeEach(async () => {
  system = await startFarSide(() => ({ status: 200, body: { status: 'stored' } }))
  line = await startLine({ system: 'chart', target: system.url })
})
afterEach(async () => {
  await line.close()
  await system.close()
})

/** Requests that reached the system, as method and handler. */
const reached = () => system.requests.map(({ method, path }) => `${method} ${path.slice(1)}`)

/** Result of a handler's request: a status, a status without the whole body, or nothing. */
async function send(handler: string, method = 'POST'): Promise<string> {
  const mark = showMark({ run: 1, handler, resource: 'pa_1', snapshot: '', sentAt: 0 })
  const answer = await fetch(`${line.url(1)}/${handler}`, { method, headers: { [runHeader]: mark } }).catch(
    () => undefined,
  )
  const body = await answer?.text().catch(() => undefined)
  return answer === undefined ? 'nothing' : `${answer.status}${body === undefined ? ', cut off' : ''}`
}

it('a fault meets the writes of the handler that it is for, two in a row, and nothing else', async () => {
  line.fail('503', 2, { handler: 'letters', isWrite: true })
  expect(await send('messages')).toBe('200')
  expect(await send('letters', 'GET')).toBe('200')
  expect(await send('letters')).toBe('503')
  expect(await send('messages')).toBe('200')
  expect(await send('letters')).toBe('503')
  expect(await send('letters')).toBe('200')
  expect(reached()).toEqual(['POST messages', 'GET letters', 'POST messages', 'POST letters'])
})

it('a fault for a later request lets those before it pass', async () => {
  line.fail('503', 1, { handler: 'letters', isWrite: true, after: 1 })
  expect([await send('letters'), await send('letters'), await send('letters')]).toEqual(['200', '503', '200'])
})

it.each([
  ['lost_answer', 'nothing', 1],
  ['half_answer', '200, cut off', 1],
  ['timeout', 'nothing', 0],
] as const)('%s: of the answer comes %s, and %i requests reach the system', async (fault, comes, count) => {
  line.fail(fault, 1, { handler: 'letters' })
  expect(await send('letters')).toBe(comes)
  expect(reached()).toHaveLength(count)
  expect(line.calls[0]?.answered).toBeUndefined()
})

it('a slow answer comes whole, later than the lease of the run', async () => {
  line.fail('slow', 1, { handler: 'letters' })
  expect(await send('letters')).toBe('200')
  const [call] = line.calls
  expect((call?.endedAt ?? 0) - (call?.startedAt ?? 0)).toBeGreaterThan(2_000)
})
