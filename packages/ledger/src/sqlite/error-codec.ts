import { createErrorCodec } from '@pawl/base/threads/create-error-codec'
import { ClaimLost } from '../hot/claim.ts'
import { LedgerFileUnusable } from './file.ts'
import { LedgerFileGone } from './file-identity.ts'
import { LedgerUnfinished } from '../ledger-unfinished.ts'
import { SealBroken } from '../sealing/seal.ts'

/** Carries a ledger's errors between threads, with the classes that its callers distinguish. */
export const errorCodec = createErrorCodec({
  ClaimLost: ({ message }) => new ClaimLost(message),
  SealBroken: ({ message }) => new SealBroken(message),
  LedgerUnfinished: ({ message }) => new LedgerUnfinished(message),
  LedgerFileUnusable: ({ message, code }) => new LedgerFileUnusable(message, code === 'ledger_file_unavailable'),
  LedgerFileGone: () => new LedgerFileGone(),
})
