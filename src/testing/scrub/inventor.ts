import { createHmac } from 'node:crypto'
import { npiOf } from 'pawl-client/schemas/npi'

/** Replaces real values by invented ones, the same value always by the same one. */
export interface Inventor {
  /** Picks from the list. */
  pick(list: readonly string[], value: string): string
  /** Replaces letters by letters and digits by digits; keeps all else. */
  alike(value: string): string
  /** Like `alike`, but keeps the service's id prefix. */
  id(value: string): string
  /** A National Provider Identifier with a valid check digit. */
  npi(value: string): string
  /** An unassigned number in the same format. */
  phone(value: string): string
  /** Some years earlier, same weekday, time of day and format. */
  date(value: string): string
  url(value: string): string
  /** Sentences of about the same length. */
  prose(value: string): string
  /** Same number of digits, same sign. */
  number(value: number): number
}

const dayMs = 86_400_000
const letters = 'abcdefghijklmnopqrstuvwxyz'
const sentences = 'This is a sample text for a test and it tells nothing about any person who ever lived anywhere. '

/** Without the secret, invented values cannot be traced back to real ones. */
export function createInventor(secret: string): Inventor {
  const bytesOf = (value: string) => createHmac('sha512', secret).update(value).digest()
  const weeks = 52 + (bytesOf('weeks')[0] ?? 0)

  function alike(value: string): string {
    // A new block for every 64 characters.
    const byteAt = (index: number) => bytesOf(`${Math.floor(index / 64)}/${value}`)[index % 64] ?? 0
    return value.replaceAll(/[a-z]|[A-Z]|\d|[^\x20-\x7e]/g, (character, index: number) => {
      const byte = byteAt(index)
      if (/\d/.test(character)) return String(byte % 10)
      const letter = letters.charAt(byte % 26)
      return /[A-Z]/.test(character) ? letter.toUpperCase() : letter
    })
  }

  function id(value: string): string {
    const [, prefix = '', rest = value] = /^((?:[a-z]+_)*)(.+)$/s.exec(value) ?? []
    return prefix + alike(rest)
  }

  function phone(value: string): string {
    const digits = alike(value.replaceAll(/\D/g, ''))
    const fictitious = digits.length < 7 ? digits : `55501${digits.slice(-2)}`.padStart(digits.length, '2')
    let index = -1
    return value.replaceAll(/\d/g, () => fictitious.charAt((index += 1)))
  }

  return {
    pick: (list, value) => list[bytesOf(value).readUInt32BE() % list.length] ?? value,
    alike,
    id,
    npi: (value) => npiOf(`1${alike(value).slice(1, 9)}`),
    phone,
    date(value) {
      const [, day = '', rest = ''] = /^(\d{4}-\d{2}-\d{2})(.*)$/s.exec(value) ?? []
      const moved = new Date(Date.parse(day) - weeks * 7 * dayMs)
      return `${moved.toISOString().slice(0, 10)}${rest}`
    },
    url(value) {
      const { protocol, pathname, search } = new URL(value)
      const path = pathname.replaceAll(/[^/]+/g, (segment) => (/^[a-z-]+$/.test(segment) ? segment : id(segment)))
      return `${protocol}//service.example${path}${search.replaceAll(/=[^&]*/g, (part) => `=${alike(part.slice(1))}`)}`
    },
    prose(value) {
      const text = sentences.repeat(1 + value.length / sentences.length).slice(0, value.length)
      return value.length < 20 ? text.trimEnd() : `${text.slice(0, text.lastIndexOf(' '))}.`
    },
    number(value) {
      if (!Number.isFinite(value) || value === 0) return value
      const text = String(Math.abs(value))
      const changed = alike(text).replace(/^0(?=\d)/, '1')
      return Math.sign(value) * (/^[\d.]+$/.test(text) ? Number(changed) : 1)
    },
  }
}
