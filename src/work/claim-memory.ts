import type { Memory } from '@pawl/connector/system'
import { PawlError } from '@pawl/base/errors'
import type { ClaimToken } from '@pawl/ledger/hot/claim'
import type { Note } from '@pawl/ledger/hot/notes'
import type { Memories } from '@pawl/ledger/hot/memory'
import type { MemoryBySystem } from '@pawl/ledger/hot/state-document'
import type { Remembered } from '@pawl/base/system-notes'

/** Another resource in progress shares an entry of a system's memory; the run waits for its release. */
export class MemoryTaken extends PawlError {
  readonly code = 'memory_taken'
  override readonly retry = { afterMs: 1_000 }
  override readonly costsAttempt = false

  constructor(system: string) {
    super(`Another resource of the same patient is being written to ${system}; this one is tried again in a moment.`)
  }
}

type MemoryNote = Extract<Note, { of: 'memory' }>

/** The connectors' memory of one claimed resource. It is read with the claim, since only the claim's holder writes it. Writes are recorded with the claim's other notes. */
export interface ClaimMemory {
  of(this: void, system: string): Memory
  /** Writes since the last call. */
  take(): MemoryNote[]
  /** Restores writes that could not be recorded, unless newer ones exist. */
  giveBack(taken: readonly MemoryNote[]): void
}

export function createClaimMemory(
  token: ClaimToken,
  claimed: MemoryBySystem,
  ledger: Omit<Memories, 'newestMemory'>,
): ClaimMemory {
  const loaded = new Map(claimed)
  /** Systems with a failed write, which the ledger may have stored all the same. */
  const doubted = new Set<string>()
  /** All writes since the claim, removals included, and those not yet taken. */
  const [newer, waiting] = [new Map<string, Remembered | undefined>(), new Map<string, MemoryNote>()]
  /** The contents of the shared entries when this claim took them. */
  const taken = new Map<string, Remembered | undefined>()
  const keyOf = (system: string, role: string) => `${system} ${role}`

  async function loadedOf(system: string, role: string): Promise<Remembered | undefined> {
    if (doubted.has(system)) {
      loaded.set(system, await ledger.readMemory(system, token.resourceId))
      doubted.delete(system)
    }
    return loaded.get(system)?.get(role)
  }

  async function writeAtOnce(system: string, role: string, remembered: Remembered | undefined): Promise<void> {
    const key = keyOf(system, role)
    newer.delete(key)
    waiting.delete(key)
    try {
      await ledger.writeMemory(token, system, role, remembered, { isShared: taken.has(key) })
    } catch (error) {
      doubted.add(system)
      throw error
    }
    newer.set(key, remembered)
  }

  return {
    of: (system) => ({
      async read(role) {
        const key = keyOf(system, role)
        if (newer.has(key)) return newer.get(key)
        return taken.has(key) ? taken.get(key) : loadedOf(system, role)
      },
      write: (role, remembered) => writeAtOnce(system, role, remembered),
      forget: (role) => writeAtOnce(system, role, undefined),
      note(role, remembered) {
        const key = keyOf(system, role)
        newer.set(key, remembered)
        waiting.set(key, { of: 'memory', system, role, remembered, ...(taken.has(key) && { isShared: true }) })
      },
      async share(role) {
        const key = keyOf(system, role)
        if (taken.has(key)) return
        const found = await ledger.takeShared(token, system, role)
        if (found === 'taken') throw new MemoryTaken(system)
        // The claim had no right to this entry before, so its writes are not newer.
        newer.delete(key)
        taken.set(key, found.remembered)
      },
    }),
    take() {
      const notes = [...waiting.values()]
      waiting.clear()
      return notes
    },
    giveBack(notes) {
      for (const each of notes) {
        const key = keyOf(each.system, each.role)
        if (newer.get(key) === each.remembered && !waiting.has(key)) waiting.set(key, each)
      }
    },
  }
}
