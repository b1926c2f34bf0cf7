import type { Act } from '../../src/ledger/audit/audit-entry.ts'

/** Somebody who acts in a test. */
export const act: Act = { actor: { name: 'tester@desk', via: 'command' } }
