import { byNumber } from '../primitives.ts'
import type { Charset } from './settings.ts'

/** Characters of letters and payers' web pages, as they are written where the character set lacks them. */
const substitutes: ReadonlyMap<string, string> = new Map([
  ['\u2018', "'"],
  ['\u2019', "'"],
  ['\u201A', ','],
  ['\u201C', '"'],
  ['\u201D', '"'],
  ['\u201E', '"'],
  ['\u2010', '-'],
  ['\u2011', '-'],
  ['\u2012', '-'],
  ['\u2013', '-'],
  ['\u2014', '-'],
  ['\u2022', '*'],
  ['\u2026', '...'],
  ['\u20AC', 'EUR'],
  ['\u2122', '(TM)'],
  ['\u2264', '<='],
  ['\u2265', '>='],
  ['\u2260', '!='],
  ['\u2192', '->'],
  ['\u03BC', 'u'],
  ['\u00A0', ' '],
  ['\u00AB', '"'],
  ['\u00AE', '(R)'],
  ['\u00B5', 'u'],
  ['\u00BB', '"'],
  ['\u00DF', 'ss'],
  ['\u00C6', 'AE'],
  ['\u00E6', 'ae'],
  ['\u00D8', 'O'],
  ['\u00F8', 'o'],
  ['\u0142', 'l'],
  ['\u0141', 'L'],
])

const lastOf: Readonly<Record<Charset, number>> = { 'UNICODE UTF-8': 0x10ffff, '8859/1': 0xff, ASCII: 0x7e }

/**
 * Text that a message in this character set can hold, with `\n` as its only control character: the framing and the segments are made of the others.
 * Characters outside the set become similar letters, or else their numbers, so that none is lost unseen.
 */
export function fitText(text: string, charset: Charset): string {
  const plain = text
    .replaceAll(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n')
    .replaceAll('\t', '    ')
    .replaceAll(/[^\P{Cc}\n]/gu, ' ')
    .replaceAll(/\p{Cs}|[\uFFFE\uFFFF]/gu, '\uFFFD')
  const last = lastOf[charset]
  if (last === lastOf['UNICODE UTF-8']) return plain
  const fits = (character: string) => (character.codePointAt(0) ?? 0) <= last
  return Array.from(plain, (character) => (fits(character) ? character : substitute(character, fits))).join('')
}

function substitute(character: string, fits: (character: string) => boolean): string {
  const known = substitutes.get(character)
  if (known !== undefined) return known
  const alike = Array.from(character.normalize('NFKD')).filter(fits).join('')
  if (alike !== '') return alike
  if (/\p{M}/u.test(character)) return ''
  return byNumber(character)
}

/** The bytes of a message of fitting text. */
export function encodeText(text: string, charset: Charset): Buffer {
  return Buffer.from(text, charset === 'UNICODE UTF-8' ? 'utf8' : 'latin1')
}
