import { createHash } from 'node:crypto'

const algorithms = ['md5', 'sha1', 'sha256', 'sha512']
const separators = ['', ' ', '|', ':', ',', ';', '/', '\n', '\0']
/** Prefixes that may precede values in a hashed list. */
const prefixes: readonly (readonly (string | null)[])[] = [
  [],
  ...['internal_id', 'mrn', 'fhir_id', 'member_number'].flatMap((field) => [[field], [field, null]]),
]
/** So many characters of a digest are looked for: those that are cut off behind them are found, too. */
const lengths = { hex: 16, base64: 11, binary: 8 }

/** Makes what looks for digests, without a key, of these values, alone or two together in any likely form: as hexadecimal digits, in Base64 or as bytes. `bytes` is read as latin1. */
export function createDigestSearch(values: Readonly<Record<string, string>>): (bytes: string) => string[] {
  const known = { hex: new Map<string, string>(), base64: new Map<string, string>(), binary: new Map<string, string>() }
  for (const [name, text] of textsOf(values)) {
    for (const algorithm of algorithms) {
      const digest = createHash(algorithm).update(text).digest()
      known.hex.set(digest.toString('hex').slice(0, lengths.hex), name)
      known.base64.set(digest.toString('base64').slice(0, lengths.base64), name)
      known.base64.set(digest.toString('base64url').slice(0, lengths.base64), name)
      known.binary.set(digest.toString('latin1').slice(0, lengths.binary), name)
    }
  }

  return (bytes) => {
    const found = new Set<string>()
    const look = (text: string, form: keyof typeof known) => {
      const length = lengths[form]
      for (let at = 0; at + length <= text.length; at += 1) {
        const name = known[form].get(text.slice(at, at + length))
        if (name !== undefined) found.add(`${name} (${form})`)
      }
    }
    for (const [run] of bytes.toLowerCase().matchAll(/[0-9a-f]{16,}/g)) look(run, 'hex')
    for (const [run] of bytes.matchAll(/[\w+/-]{11,}/g)) look(run, 'base64')
    look(bytes, 'binary')
    return [...found]
  }
}

function* textsOf(values: Readonly<Record<string, string>>): Generator<[string, string]> {
  const all = Object.entries(values)
  for (const [name, value] of all) {
    yield* lists([name], [value])
    for (const form of [value, value.toLowerCase(), value.toUpperCase(), value.replaceAll(/\W/g, '')])
      yield [name, form]
    for (const [otherName, other] of all) {
      if (otherName === name) continue
      yield* lists([name, otherName], [value, other])
      for (const separator of separators) yield [`${name} and ${otherName}`, `${value}${separator}${other}`]
    }
  }
}

function* lists(names: readonly string[], values: readonly string[]): Generator<[string, string]> {
  for (const prefix of prefixes) yield [names.join(' and '), JSON.stringify([...prefix, ...values])]
}
