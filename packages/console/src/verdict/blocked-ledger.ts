import type { WritesBlocked } from '@pawl/ledger/upkeep/watch-writes'
import type { Finding } from '../contract/status-verdict.ts'
import type { Facts } from './facts.ts'

/** That the ledger takes no writes, and what to do. */
export function blockedLedger({ blocked, now }: Facts): Finding[] {
  if (blocked === undefined) return []
  const { why, todo } = adviceFor(blocked)
  return [
    {
      tone: 'bad',
      what: 'The ledger takes no writes',
      since: Math.round(now - blocked.forMs),
      why,
      effect: 'Deliveries are answered 503, and work waits.',
      todo,
    },
  ]
}

/** The same in one sentence; `undefined` while it takes writes. */
export function describeBlocked(blocked: WritesBlocked | undefined): string | undefined {
  if (blocked === undefined) return undefined
  const { why, todo } = adviceFor(blocked)
  return `The ledger takes no writes: ${why}. ${todo}`
}

function adviceFor({ code, by }: WritesBlocked): { why: string; todo: string } {
  switch (code) {
    case 'locked':
      return {
        why: `${by.length === 0 ? 'another process' : by.join(', ')} holds a lock`,
        todo: 'End that transaction.',
      }
    case 'read_only':
      return { why: 'its server is read-only', todo: 'Let DATABASE_URL lead to the primary.' }
    default:
      return { why: code, todo: 'See whether the database answers.' }
  }
}
