import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '@pawl/console/contract/contract'
import type { Sandbox } from '@pawl/sandbox/sandbox'
import type { Lines } from './system-lines.ts'

const lookMs = 25

/** A longer gap means that the machine was suspended; it does not count as a stall. */
const maxLookMs = 1_000

/** Whether no delivery is pending, no request is in flight, and pawl has no due work. */
export async function isQuiet({
  sandbox,
  lines,
  readAdmin,
}: Pick<Lines, 'lines'> & {
  sandbox: Pick<Sandbox, 'controls'>
  readAdmin: (path: string) => Promise<string>
}): Promise<boolean> {
  if (sandbox.controls.deliveries().some(({ state }) => state === 'pending')) return false
  if (Object.values(lines).some((line) => line.inFlight > 0)) return false
  const { due, toPoll } = contract.readiness.answer.parse(JSON.parse(await readAdmin('/readyz')))
  return due === 0 && toPoll === 0
}

/** Resolves with true once `isIdle` does; with false after `patienceMs` without a call on the lines, or after `maxMs`. */
export async function untilQuiet(
  isIdle: () => Promise<boolean>,
  { lines, patienceMs, maxMs = Infinity }: Pick<Lines, 'lines'> & { patienceMs: number; maxMs?: number },
): Promise<boolean> {
  const calls = () => Object.values(lines).reduce((sum, line) => sum + line.calls.length, 0)
  const startedAt = performance.now()
  let lookedAt = startedAt
  let stillMs = 0
  let seen = -1
  for (;;) {
    if (await isIdle().catch(() => false)) return true
    const now = performance.now()
    stillMs = calls() === seen ? stillMs + Math.min(now - lookedAt, maxLookMs) : 0
    if (stillMs > patienceMs || now - startedAt > maxMs) return false
    seen = calls()
    lookedAt = now
    await sleep(lookMs)
  }
}
