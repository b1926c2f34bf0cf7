import { EhrWriteFailed } from '../ehr-write-failed.ts'
import type { TypeCapabilities } from './capabilities.ts'
import type { ChartClient } from './chart-client.ts'
import type { StoredResource } from './stored-resource.ts'
import { forUpdate, type TypePlan } from './strategy.ts'

/** Ways to take a record back; only tasks are cancelled. */
export type Withdrawal = 'entered in error' | 'cancelled' | 'deleted'

const statuses = { 'entered in error': 'entered-in-error', cancelled: 'cancelled' } as const

/** A record to take back. */
export interface Withdrawable {
  held: StoredResource
  /** Absent for a type that pawl does not update. */
  plan?: TypePlan | undefined
  /** What the server states to take of the type. */
  stated: TypeCapabilities | undefined
}

/** Takes a record back in the first of these ways that the chart allows; undefined if it allows none. Throws `EhrWriteFailed` if another attempt may pass. */
export async function withdraw(
  client: Pick<ChartClient, 'remove' | 'update'>,
  { held, plan, stated }: Withdrawable,
  ways: readonly Withdrawal[],
): Promise<Withdrawal | undefined> {
  const { resourceType: type, id } = held
  const attempts: Record<Withdrawal, () => Promise<unknown> | undefined> = {
    deleted: () => (stated?.canDelete === true ? client.remove(type, id) : undefined),
    'entered in error': () => mark('entered in error'),
    cancelled: () => (type === 'Task' ? mark('cancelled') : undefined),
  }
  function mark(way: keyof typeof statuses): Promise<unknown> | undefined {
    if (stated?.canUpdate === false) return undefined
    const changed = { ...held, status: statuses[way] }
    return client.update(type, id, held.meta ?? {}, plan === undefined ? changed : forUpdate(plan, changed))
  }
  for (const way of ways) {
    const attempt = attempts[way]()
    if (attempt !== undefined && (await isTaken(attempt))) return way
  }
  return undefined
}

async function isTaken(attempt: Promise<unknown>): Promise<boolean> {
  try {
    await attempt
    return true
  } catch (error) {
    // The next way may be allowed.
    if (error instanceof EhrWriteFailed && error.retry === 'never') return false
    throw error
  }
}
