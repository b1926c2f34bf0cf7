import { countedBack } from './counted-back.ts'
import { passUnless, type Rule } from './rule.ts'
import { chartWritesOf, noticesOf, subjectOf } from './writes.ts'

/** No system receives an older state after a newer one. */
export const orderKept: Rule = {
  id: 'order-kept',
  title: 'Order kept',
  judge(seen) {
    const { calls, histories, labels } = seen
    const faults = countedBack(seen)
    const writes = chartWritesOf(calls).filter(({ isDone }) => isDone)
    const notices = noticesOf(calls).filter(({ call }) => call.done !== undefined)
    for (const [id, { statuses, transfers }] of histories) {
      const told = (kind: string) =>
        writes
          .filter(({ resource }) => subjectOf(resource, kind) === id)
          .flatMap(({ resource }) => resource?.businessStatus?.text ?? [])
      const check = (what: string, shown: readonly string[], history: readonly string[]) => {
        const wrong = firstOutOfOrder(shown, history)
        if (wrong !== undefined) faults.push(`${labels.get(id)}: ${what} was sent ${wrong} after that was out of date`)
      }
      check('the chart', told('prior-authorization'), statuses)
      check('the chart', told('prescription-transfer'), transfers)
      const own = notices.filter(({ about }) => about === id)
      check(
        'the pharmacy',
        own.map(({ status }) => status),
        transfers,
      )
      const sequences = firsts(own).flatMap(({ sequence }) => sequence ?? [])
      const isRising = sequences.every((sequence, at) => at === 0 || sequence > (sequences[at - 1] ?? 0))
      if (!isRising) faults.push(`${labels.get(id)}: the sequence of notices to the pharmacy decreased`)
    }
    return passUnless(faults)
  },
}

/** Drops copies of notices. */
function firsts<T extends { id: string }>(notices: readonly T[]): T[] {
  return notices.filter(({ id }, at) => notices.findIndex((each) => each.id === id) === at)
}

/** The first value that the history lacks or has only before values already sent. */
function firstOutOfOrder(told: readonly string[], history: readonly string[]): string | undefined {
  let from = 0
  for (const value of told) {
    const at = history.indexOf(value, from)
    if (at === -1) return value
    from = at
  }
  return undefined
}
