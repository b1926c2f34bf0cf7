import { isDeepStrictEqual } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { PawlError, retryOf } from '@pawl/base/errors'
import type { Digest } from '@pawl/connector/digest'
import { isDisorder } from '@pawl/base/system-notes'
import type { ReadBack, System, SystemsByName } from '@pawl/connector/system'
import type { RememberedResource } from '@pawl/ledger/views/remembered'

/** A system that can be read back, by its name in the integration. */
export interface Verifiable {
  name: string
  system: System<object> & Required<Pick<System<object>, 'verify'>>
}

export interface ReadBackDeps extends Verifiable {
  digest: Digest
  /** The resource as the ledger has it now. */
  readAgain: (id: string) => Promise<RememberedResource | undefined>
  signal: AbortSignal
}

/** Waits between the tries of a failed read, in milliseconds, unless the system states its own wait. */
const waitsMs = [1_000, 3_000, 9_000]

/** The systems that can be read back. */
export function verifiable(systems: SystemsByName): Verifiable[] {
  return Object.entries(systems).flatMap(([name, system]) => (canVerify(system) ? [{ name, system }] : []))
}

function canVerify(system: System<object>): system is Verifiable['system'] {
  return system.verify !== undefined
}

/** Reads back all that a system holds of a resource; `in_work` if a worker has it, or wrote meanwhile. Throws the system's errors. */
export async function readBack(resource: RememberedResource, deps: ReadBackDeps): Promise<ReadBack | 'in_work'> {
  if (resource.isClaimed) return 'in_work'
  const found = await withPatience(() => verifyHeld(resource, deps), deps.signal)
  if (!found.records.some(({ is }) => isDisorder(is))) return found
  return isDeepStrictEqual(await deps.readAgain(resource.id), resource) ? found : 'in_work'
}

/** Reads back all that a system holds of a resource which no other worker has. Throws the system's errors. */
export async function verifyHeld(
  { id: resourceId, kind, snapshotAt, memory }: RememberedResource,
  { name, system, digest, signal }: Omit<ReadBackDeps, 'readAgain'>,
): Promise<ReadBack> {
  const own = memory.filter((each) => each.system === name)
  // Erased here: what the system keeps is for its own people.
  if (own.length === 0 && snapshotAt === undefined) return { records: [], unsearched: [] }
  const byRole = new Map(own.map(({ role, remembered }) => [role, remembered]))
  return system.verify(byRole, { resourceId, kind, digest, signal })
}

/** The resources that a system may hold something of, read from the service since a time (milliseconds since 1970), a few at a time. */
export async function* resourcesSince(
  readAfter: (cursor: string) => Promise<RememberedResource[]>,
  since: number,
): AsyncGenerator<{ resources: RememberedResource[]; passed: number }> {
  for (let cursor = ''; ;) {
    const step = await readAfter(cursor)
    const last = step.at(-1)
    if (last === undefined) return
    cursor = last.id
    yield { resources: step.filter(({ snapshotAt = 0 }) => snapshotAt >= since), passed: step.length }
  }
}

async function withPatience<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const waitMs of waitsMs) {
    try {
      return await ask()
    } catch (error) {
      const retry = retryOf(error)
      if (!(error instanceof PawlError) || retry === 'never') throw error
      await sleep(typeof retry === 'object' ? retry.afterMs : waitMs, undefined, { signal })
    }
  }
  return ask()
}
