import fc from 'fast-check'
import { startAdminTarget } from './admin.ts'
import { startConsoleTarget } from './console.ts'
import { startReceiverTarget } from './receiver.ts'
import { startSandboxTarget } from './sandbox.ts'
import type { Attack } from './target.ts'

/** Targets of attacks. */
export const targets = {
  receiver: startReceiverTarget,
  admin: startAdminTarget,
  console: startConsoleTarget,
  sandbox: startSandboxTarget,
}

export type TargetName = keyof typeof targets

export interface FuzzOptions {
  target: TargetName
  /** The same seed makes the same attacks. */
  seed: number
  /** How many attacks. */
  runs: number
  /** An end before that, in milliseconds from the start. */
  withinMs?: number
  /** Hears of each attack before it is let loose. */
  onAttack?: (attack: Attack) => void
}

export interface FuzzReport {
  attacks: number
  /** How often each status was answered; `none` where the connection was only closed. */
  statuses: Record<string, number>
  /** A forbidden effect that happened, with the smallest attack that shows it. */
  fault: string | undefined
}

/** Attacks one target, one attack after the other, until the first fault. */
export async function fuzz({ target: name, seed, runs, withinMs, onAttack }: FuzzOptions): Promise<FuzzReport> {
  const target = await targets[name]()
  const statuses = new Map<string, number>()
  let attacks = 0
  const property = fc.asyncProperty(target.attacks, async (attack) => {
    onAttack?.(attack)
    attacks += 1
    const answered = await target.strike(attack)
    for (const status of answered.length === 0 ? ['none'] : answered.map(String))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
  })
  try {
    const { failed, counterexample, errorInstance } = await fc.check(property, {
      seed,
      numRuns: runs,
      ...(withinMs !== undefined && { interruptAfterTimeLimit: withinMs }),
    })
    const [attack] = counterexample ?? []
    const fault = failed ? describe(errorInstance, attack) : await target.inspect().then(() => undefined, describe)
    return {
      attacks,
      statuses: Object.fromEntries([...statuses].toSorted(([one], [other]) => one.localeCompare(other))),
      fault,
    }
  } finally {
    await target.close()
  }
}

function describe(error: unknown, attack?: Attack): string {
  const what = error instanceof Error ? error.message : String(error)
  if (attack === undefined) return what
  const bytes = Buffer.concat(attack.wire.pieces).toString('latin1')
  return `${what}\n${attack.name}\n${JSON.stringify(bytes.slice(0, 4_000))}`
}
