import type { Act } from '../../packages/ledger/src/audit/audit-entry.ts'

/** The actor of a test. */
export const act: Act = { actor: { name: 'tester@desk', via: 'command' } }
