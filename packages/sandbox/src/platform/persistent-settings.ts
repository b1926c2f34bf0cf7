import { randomBytes, randomInt } from 'node:crypto'
import type { Archive } from './archive.ts'

/** Settings that stay the same across restarts. */
export interface PersistentSettings {
  seed: number
  /** Signs API tokens. */
  tokenKey: string
  /** Number of earlier starts. */
  start: number
  /** Sandbox time of the last stop, from which time continues. Undefined for a new sandbox. */
  stoppedAt: number | undefined
}

/** Uses the given settings, else the archived ones, else random ones; archives them. */
export function persistSettings(
  given: { seed?: number | undefined; tokenKey?: string | undefined },
  archive: Archive,
): PersistentSettings {
  const archived = new Map(archive.list('setting').map(({ id, value }) => [id, value]))
  const number = (name: string) => {
    const value = archived.get(name)
    return typeof value === 'number' ? value : undefined
  }
  const seed = given.seed ?? number('seed') ?? randomInt(2 ** 31)
  const tokenKey = given.tokenKey ?? archived.get('token_key')?.toString() ?? randomBytes(32).toString('hex')
  const start = number('starts') ?? 0
  archive.put('setting', 'seed', seed)
  archive.put('setting', 'token_key', tokenKey)
  archive.put('setting', 'starts', start + 1)
  return { seed, tokenKey, start, stoppedAt: number('clock') }
}
