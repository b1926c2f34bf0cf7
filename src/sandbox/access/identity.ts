import { randomBytes, randomInt } from 'node:crypto'
import type { Archive } from '../platform/archive.ts'
import type { SandboxOptions } from '../options.ts'

/** What makes a sandbox the same one after a restart. */
export interface Identity {
  seed: number
  /** Signs API tokens. */
  tokenKey: string
  /** How often it was started before. */
  start: number
  /** Sandbox time when it stopped: time stands still while it is down. Undefined for a new one. */
  stoppedAt: number | undefined
}

/** What the options say, else what the archive keeps, else something new; and keeps it. */
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
