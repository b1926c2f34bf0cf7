import { createNotedMemory, type NotedMemory } from './noted-memory.ts'
import type { ClaimToken, GiveBack } from '../ledger/hot/claims.ts'
import type { Note } from '../ledger/hot/notes.ts'
import type { Claims } from '../ledger/hot/create-claims.ts'
import type { Memories } from '../ledger/hot/memory.ts'

/** What was found out under one claim: recorded when the resource is given back, in the same commit, if not before. */
export interface Journal {
  /** `onRecorded` is called once the note is durable. */
  add(note: Note, onRecorded?: () => void): void
  /** What a system remembers of the resource; what it notes is recorded with the rest. */
  memoryOf: NotedMemory['of']
  /** Records what was added since the last time. Throws `ClaimLost`. */
  record(): Promise<void>
  /** Records the rest and gives the resource back; resolves with the milliseconds until it is due again. Throws `ClaimLost`. */
  release(next: GiveBack): Promise<number | undefined>
}

export function createJournal(token: ClaimToken, ledger: Pick<Claims, 'record' | 'release'> & Memories): Journal {
  let entries: { note: Note; onRecorded: () => void }[] = []
  let sending: Promise<unknown> = Promise.resolve()
  const noted = createNotedMemory(token, ledger)

  /** One after the other: each note builds upon those before it. */
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
      // Whether runs whose commit failed were stored after all, nobody can tell; but all later ones build upon this snapshot.
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
