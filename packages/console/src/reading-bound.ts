import type { Actor } from '@pawl/ledger/audit/audit-entry'

/** Max different prescriptions that one person may read within an hour. */
export const maxReadings = 30
const windowMs = 3_600_000

/** Bounds how many prescriptions of the chart a person reads; counts in this process. Names that are only claimed count as one person. */
export function createReadingBound(elapsed: () => number = () => performance.now()) {
  /** By person, when each prescription was last read. */
  const readings = new Map<string, Map<string, number>>()
  /** By person, when one was last refused for the first time within an hour. */
  const refusals = new Map<string, number>()

  return {
    /** Counts a reading, unless there are too many; one read again counts once. Tells the first refusal of an hour from the others. */
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
