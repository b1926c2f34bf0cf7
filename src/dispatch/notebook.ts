import type { Hold, Ledger, Note } from '../ledger/ledger.ts'

/** What was found out under one claim: recorded at the latest when the resource is given back, in the same commit. */
export interface Notebook {
  /** `onRecorded` is called once the note is durable. */
  add(note: Note, onRecorded?: () => void): void
  /** Records what was added since the last time. Throws `ClaimLost`. */
  record(): Promise<void>
  /** Records the rest and gives the resource back; resolves with the milliseconds until it is due again. Throws `ClaimLost`. */
  release(next: { dueInMs: number | undefined; restMs: number }): Promise<number | undefined>
}

export function createNotebook(hold: Hold, ledger: Pick<Ledger, 'record' | 'release'>): Notebook {
  let entries: { note: Note; onRecorded: () => void }[] = []

  /** Whatever becomes of it, a note is sent once: whether one that failed was stored, nobody can tell. */
  async function send<T>(store: (notes: Note[]) => Promise<T>): Promise<T> {
    const sent = entries
    entries = []
    const stored = await store(sent.map(({ note }) => note))
    for (const { onRecorded } of sent) onRecorded()
    return stored
  }

  return {
    add: (note, onRecorded = () => {}) => void entries.push({ note, onRecorded }),
    record: () => send((notes) => ledger.record(hold, notes)),
    release: (next) => send((notes) => ledger.release(hold, { ...next, notes })),
  }
}
