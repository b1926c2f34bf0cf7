import { expect, it } from 'vitest'
import { createPrettyLog } from '../src/pretty-log.ts'
import { showHidden } from '../src/show-hidden.ts'

const codes = [0x00, 0x07, 0x1b, 0x7f, 0x9b, 0x61c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069, 0x2028, 0xfeff]

it.each(codes)('the hidden character %i is shown as its escape', (code) => {
  expect(showHidden(`a${String.fromCharCode(code)}b`)).toBe(`a\\u${code.toString(16).padStart(4, '0')}b`)
})

it('line breaks, tabs and letters of any script stay, and JSON means the same', () => {
  const text = 'Zoë\tשלום\r\n漢字 😀\n'
  expect(showHidden(text)).toBe(text)
  const value = { text: 'a\u202eb\u2066c' }
  expect(showHidden(JSON.stringify(value))).not.toMatch(/\p{Cf}/u)
  expect(JSON.parse(showHidden(JSON.stringify(value)))).toEqual(value)
})

it('in a single line, line breaks are shown, too', () => {
  expect(showHidden('a\r\nb\tc', { isLine: true })).toBe('a\\u000d\\u000ab\tc')
})

it('a line of the log for people shows them, and keeps its colours', () => {
  const line = {
    level: 'warn',
    time: '2026-01-01T00:00:00Z',
    msg: 'x',
    code: 'a\u202eb',
    error: { code: 'c', message: 'd\u001b[2Je' },
  }
  const told = createPrettyLog({ isColoured: true })(`${JSON.stringify(line)}\n`) ?? ''
  expect(told).not.toMatch(/\p{Cf}/u)
  expect(told).not.toContain('\u001b[2J')
  expect(told).toContain('d\\u001b[2Je')
})
