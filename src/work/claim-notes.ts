import { createClaimMemory, type ClaimMemory } from './claim-memory.ts'
import type { Claim, ClaimToken, GiveBack } from '@pawl/ledger/hot/claim'
import type { Note } from '@pawl/ledger/hot/notes'
import type { Claims } from '@pawl/ledger/hot/create-claims'
import type { Memories } from '@pawl/ledger/hot/memory'

/** Results under one claim: recorded in the commit of the release, if not before. */
export interface ClaimNotes {
  /** `onRecorded` is called once the note is durable. */
  add(note: Note, onRecorded?: () => void): void
  /** A system's memory of the resource; its writes are recorded with the rest. */
  memoryOf: ClaimMemory['of']
  /** Records the notes added since the last call. Throws `ClaimLost`. */
  record(): Promise<void>
  /** Records the rest and releases the claim; resolves with the milliseconds until the resource is due again. Throws `ClaimLost`. */
  release(next: GiveBack): Promise<number | undefined>
}

export function createClaimNotes(
  { memory, ...token }: ClaimToken & Pick<Claim, 'memory'>,
  ledger: Pick<Claims, 'record' | 'release'> & Omit<Memories, 'newestMemory'>,
): ClaimNotes {
  let entries: { note: Note; onRecorded: () => void }[] = []
  let sending: Promise<unknown> = Promise.resolve()
  const noted = createClaimMemory(token, memory, ledger)

  /** Sends in order, since each note builds upon those before it. */
  function send<T>(store: (notes: Note[]) => Promise<T>): Promise<T> {
    const turn = sending.then(() => sendNow(store))
    sending = turn.catch(() => undefined)
    return turn
  }

  async function sendNow<T>(store: (notes: Note[]) => Promise<T>): Promise<T> {
    const [sent, remembered] = [entries, noted.take()]
    entries = []
    try {
      const stored = await store([...remembered, ...sent.map(({ note }) => note)])
      for (const { onRecorded } of sent) onRecorded()
      return stored
    } catch (error) {
      // Runs of a failed commit may have been stored all the same; later notes need this snapshot in any case.
      entries.unshift(...sent.filter(({ note }) => note.of === 'snapshot' || note.of === 'no_poll'))
      noted.giveBack(remembered)
      throw error
    }
  }

  return {
    add: (note, onRecorded = () => {}) => void entries.push({ note, onRecorded }),
    memoryOf: noted.of,
    record: () => send((notes) => ledger.record(token, notes)),
    release: (next) => send((notes) => ledger.release(token, { ...next, notes })),
  }
}
