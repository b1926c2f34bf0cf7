import type { Core } from '../core.ts'
import { readPart } from '../upkeep/read-part.ts'
import { resealPart, type ResealStep } from './reseal.ts'
import type { Act } from '../audit/audit-entry.ts'

/** Provides the key of digests, and reseals stored values with the newest key. */
export interface Keys {
  /** The key of this ledger's digests, which sealing key rotation leaves unchanged. Throws `SealBroken`. */
  digestKey(): Promise<Uint8Array>
  /** One small step of resealing all stored values with the newest key; the first is recorded in the audit trail. */
  reseal(step: { cursor?: string | undefined; dryRun: boolean }, act: Act): Promise<ResealStep>
}

/** Resources resealed per commit: few enough not to delay deliveries. */
const resealedAtOnce = 20

export function createKeys({ db, commits, trail, seal, documents, digestKey }: Core): Keys {
  return {
    async digestKey() {
      await digestKey.readFingerprint()
      return digestKey.read()
    },
    async reseal({ cursor, dryRun }, { actor, reason }) {
      if (cursor === undefined && !dryRun)
        await commits.write((trx, now) => trail.append(trx, now, [{ actor, action: 'keys.rotate', reason }]))
      const part = await readPart(db, cursor, resealedAtOnce)
      const step = await commits.write(
        (trx) => resealPart(trx, part, { seal, documents, dryRun }),
        () => [...part.resources.map(({ id }) => id), ...part.outcomes.flatMap(({ id }) => id ?? [])],
      )
      if (cursor === undefined) {
        const { keys, resealed, unreadable } = await digestKey.reseal(dryRun)
        for (const [key, count] of Object.entries(keys)) step.keys[key] = (step.keys[key] ?? 0) + count
        step.resealed += resealed
        step.unreadable += unreadable
      }
      return step
    },
  }
}
