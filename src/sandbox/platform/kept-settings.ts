import { randomBytes, randomInt } from 'node:crypto'
import type { Archive } from './archive.ts'

/** What stays the same across restarts of a sandbox. */
export interface KeptSettings {
  seed: number
  /** Signs API tokens. */
  tokenKey: string
  /** Number of earlier starts. */
  start: number
  /** Sandbox time of the last stop: time stands still while it is down. Undefined for a new sandbox. */
  stoppedAt: number | undefined
}

/** Takes the settings as given, else from the archive, else draws new ones; and archives them. */
export function keepSettings(
  given: { seed?: number | undefined; tokenKey?: string | undefined },
  archive: Archive,
): KeptSettings {
  const kept = new Map(archive.list('setting').map(({ id, value }) => [id, value]))
  const number = (name: string) => {
    const value = kept.get(name)
    return typeof value === 'number' ? value : undefined
  }
  const seed = given.seed ?? number('seed') ?? randomInt(2 ** 31)
  const tokenKey = given.tokenKey ?? kept.get('token_key')?.toString() ?? randomBytes(32).toString('hex')
  const start = number('starts') ?? 0
  archive.put('setting', 'seed', seed)
  archive.put('setting', 'token_key', tokenKey)
  archive.put('setting', 'starts', start + 1)
  return { seed, tokenKey, start, stoppedAt: number('clock') }
}
