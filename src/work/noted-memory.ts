import type { ClaimToken, Ledger, Note, Remembered } from '../ledger/ledger.ts'
import type { Memory } from '../systems/system.ts'

type MemoryNote = Extract<Note, { of: 'memory' }>

/** What connectors remember of one resource while it is claimed: read once for each system, since nobody else writes it meanwhile; what they note is recorded with all else that is found out under the claim. */
export interface NotedMemory {
  of(this: void, system: string): Memory
  /** What was noted since it was last taken. */
  take(): MemoryNote[]
  /** Takes back what could not be recorded, unless something newer was noted or written. */
  giveBack(taken: readonly MemoryNote[]): void
}

export function createNotedMemory(token: ClaimToken, ledger: Pick<Ledger, 'readMemory' | 'writeMemory'>): NotedMemory {
  const loaded = new Map<string, Promise<ReadonlyMap<string, Remembered>>>()
  /** All that is newer than what was loaded, and what of it nobody took yet. */
  const [newer, waiting] = [new Map<string, Remembered>(), new Map<string, MemoryNote>()]
  const keyOf = (system: string, role: string) => `${system} ${role}`

  function load(system: string): Promise<ReadonlyMap<string, Remembered>> {
    const known = loaded.get(system)
    if (known !== undefined) return known
    const loading = ledger.readMemory(system, token.resourceId)
    loaded.set(system, loading)
    loading.catch(() => loaded.delete(system))
    return loading
  }

  return {
    of: (system) => ({
      read: async (role) => newer.get(keyOf(system, role)) ?? (await load(system)).get(role),
      async write(role, remembered) {
        const key = keyOf(system, role)
        newer.delete(key)
        waiting.delete(key)
        try {
          await ledger.writeMemory(token, system, role, remembered)
        } catch (error) {
          // Whether it was written is for the ledger to say.
          loaded.delete(system)
          throw error
        }
        newer.set(key, remembered)
      },
      note(role, remembered) {
        const key = keyOf(system, role)
        newer.set(key, remembered)
        waiting.set(key, { of: 'memory', system, role, remembered })
      },
    }),
    take() {
      const taken = [...waiting.values()]
      waiting.clear()
      return taken
    },
    giveBack(taken) {
      for (const each of taken) {
        const key = keyOf(each.system, each.role)
        if (newer.get(key) === each.remembered && !waiting.has(key)) waiting.set(key, each)
      }
    },
  }
}
