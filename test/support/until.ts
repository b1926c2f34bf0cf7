import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves with the first truthy answer; fails, naming what never came, after `timeoutMs`. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`)
    await sleep(20)
  }
}
