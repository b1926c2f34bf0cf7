import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { createCaseLines } from '../src/demo/case-lines.ts'

it('the demo draws one line a case, again and again in the same place', () => {
  let drawn = ''
  const show = createCaseLines(['PA, denied', 'BV'], { write: (text) => (drawn = text), columns: 70 })
  const line = { level: 'info', time: '' }
  show('PA, denied', { ...line, msg: 'delivery' })
  expect(drawn).toBe(
    '\u001B[2KPA, denied  1 webhooks   0 writes   not heard of yet\n\u001B[2KBV          0 webhooks   0 writes   not heard of yet\n',
  )
  show('BV', { ...line, msg: 'failed', error: { code: 'ehr_away', message: 'No answer.' } })
  expect(drawn).toContain('BV          0 webhooks   0 writes   ehr_away, will be retried\n')
  show('BV', { ...line, msg: 'handled', status: 'completed', outcome: 'covered', count: 3 })
  expect(drawn.startsWith('\u001B[2A')).toBe(true)
  expect(drawn).toContain('BV          0 webhooks   3 writes   completed (covered)\n')
  show('another', { ...line, msg: 'delivery' })
  show('BV', { ...line, msg: 'handled', status: 'x'.repeat(90) })
  expect(
    Math.max(
      ...stripVTControlCharacters(drawn)
        .split('\n')
        .map(({ length }) => length),
    ),
  ).toBe(69)
})
