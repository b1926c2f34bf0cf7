import { randomBytes, randomInt } from 'node:crypto'
import type { Archive } from '../platform/archive.ts'
import type { SandboxOptions } from '../options.ts'

/** What stays the same across restarts of a sandbox. */
export interface Identity {
  seed: number
  /** Signs API tokens. */
  tokenKey: string
  /** Number of earlier starts. */
  start: number
  /** Sandbox time of the last stop: time stands still while it is down. Undefined for a new sandbox. */
  stoppedAt: number | undefined
}

/** Reads the identity from the options, else the archive, else draws a new one; and archives it. */
export function readIdentity(options: SandboxOptions, archive: Archive): Identity {
  const kept = new Map(archive.list('setting').map(({ id, value }) => [id, value]))
  const number = (name: string) => {
    const value = kept.get(name)
    return typeof value === 'number' ? value : undefined
  }
  const seed = options.seed ?? number('seed') ?? randomInt(2 ** 31)
  const tokenKey = options.tokens?.key ?? kept.get('token_key')?.toString() ?? randomBytes(32).toString('hex')
  const start = number('starts') ?? 0
  archive.put('setting', 'seed', seed)
  archive.put('setting', 'token_key', tokenKey)
  archive.put('setting', 'starts', start + 1)
  return { seed, tokenKey, start, stoppedAt: number('clock') }
}
