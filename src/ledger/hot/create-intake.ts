import type { Core } from '../core.ts'
import { acceptAll, type Accepted, type Delivery } from './accept.ts'
import { createDriftNotes, type Sighting } from './drift-notes.ts'
import { createRejections } from './rejections.ts'

/** Stores deliveries, refusals and unknown names. */
export interface Intake {
  /** Stores one delivery, or counts it as a duplicate (rule 2); atomic across processes. */
  accept(delivery: Delivery): Promise<Accepted>
  /** Records a refused delivery soon, bounded in number, without waiting: refusals must cost an attacker more than us. */
  reject(rejection: { reason: string; bytes: number }): void
  /** Records unknown names and values soon, bounded in number, without waiting: nothing depends on it. */
  noteDrift(sightings: readonly Sighting[]): void
}

/** `flush` stores buffered refusals and unknown names, and stops. */
export function createIntake(core: Core): Intake & { flush(): Promise<void> } {
  const { commits, gather, storage, seal, documents, digestKey } = core
  const rejections = createRejections(commits)
  const driftNotes = createDriftNotes(commits, { documents, seal })
  const acceptNow = gather<Delivery, Accepted>({
    touches: ({ resourceId = '' }) => [resourceId],
    async run(trx, deliveries, now) {
      const fingerprint = digestKey.fingerprint()
      if (fingerprint === undefined) throw new TypeError('The key of digests was not read.')
      const accepted = await acceptAll(trx, deliveries, { ...storage, seal, now, fingerprint })
      return accepted.map((result) => ({ result }))
    },
  })

  /** The deliveries that wait for the key of digests. */
  let first: Promise<unknown> = Promise.resolve()

  return {
    accept(delivery) {
      // No await once the key is known: calls made before the ledger closes are stored.
      if (digestKey.fingerprint() !== undefined) return acceptNow(delivery)
      const accepted = digestKey.readFingerprint().then(() => acceptNow(delivery))
      first = Promise.allSettled([first, accepted])
      return accepted
    },
    reject: (rejection) => rejections.note(rejection),
    noteDrift: (sightings) => driftNotes.note(sightings),
    async flush() {
      await Promise.allSettled([first, rejections.close(), driftNotes.close()])
    },
  }
}
