import type { Actor } from '@pawl/ledger/audit/audit-entry'

/** Max different prescriptions that one person may read within an hour. */
export const maxReadings = 30
const windowMs = 3_600_000

/** Bounds how many prescriptions of the chart a person reads; counts in this process. Names that are only claimed count as one person. */
export function createReadingBound(elapsed: () => number = () => performance.now()) {
  /** By person, when each prescription was last read. */
  const readings = new Map<string, Map<string, number>>()
  /** By person, the time of the last refusal that was the first of its hour. */
  const refusals = new Map<string, number>()

  return {
    /** Counts a reading, or refuses it above the limit; a prescription read again counts once. The first refusal of an hour is told apart. */
    take(actor: Actor, prescription: string): 'taken' | 'refused' | 'refused again' {
      const person = personOf(actor)
      const read = readings.get(person) ?? new Map<string, number>()
      readings.set(person, read)
      for (const [each, at] of read) if (at + windowMs <= elapsed()) read.delete(each)
      if (!read.has(prescription) && read.size >= maxReadings) {
        const last = refusals.get(person)
        if (last !== undefined && last + windowMs > elapsed()) return 'refused again'
        refusals.set(person, elapsed())
        return 'refused'
      }
      read.set(prescription, elapsed())
      return 'taken'
    },
  }
}

function personOf({ name, auth, account }: Actor): string {
  const isClaimed = auth === undefined || auth === 'shared_password'
  return JSON.stringify([auth ?? '', isClaimed ? '' : (account ?? name)])
}
