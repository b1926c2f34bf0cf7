import type { Content } from '../owned.ts'

/** Paths of sent elements that the chart lacks or holds differently, and names of elements that it added. Paths alone, never values. */
export interface Differences {
  missing: readonly string[]
  changed: readonly string[]
  added: readonly string[]
}

/** The server's own. */
const ofServer = new Set(['id', 'meta', 'text'])

export function differencesOf(sent: Content, kept: Content): Differences {
  const missing: string[] = []
  const changed: string[] = []
  compare(sent, kept, '', { missing, changed })
  const added = Object.keys(kept).filter((name) => !(name in sent) && !ofServer.has(name))
  return { missing, changed, added }
}

function compare(sent: unknown, kept: unknown, path: string, found: { missing: string[]; changed: string[] }): void {
  if (kept === undefined) found.missing.push(path)
  else if (Array.isArray(sent)) {
    const values: readonly unknown[] = Array.isArray(kept) ? kept : []
    for (const [at, each] of sent.entries()) compare(each, values[at], `${path}[${at}]`, found)
    if (values.length > sent.length) found.changed.push(path)
  } else if (isObject(sent)) {
    if (!isObject(kept)) return void found.changed.push(path)
    for (const [name, value] of Object.entries(sent)) {
      if (path === '' && name === 'meta') continue
      // The bytes of an attachment may be behind an address.
      const isMoved = name === 'data' && kept.data === undefined && kept.url !== undefined
      if (!isMoved) compare(value, kept[name], path === '' ? name : `${path}.${name}`, found)
    }
  } else if (sent !== kept && !isSameInstant(sent, kept)) found.changed.push(path)
}

function isSameInstant(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && Date.parse(one) === Date.parse(other)
}

function isObject(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
