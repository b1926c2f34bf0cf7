import type { Act } from '../../src/ledger/ledger.ts'

/** Somebody who acts in a test. */
export const act: Act = { actor: { name: 'tester@desk', via: 'command' } }
