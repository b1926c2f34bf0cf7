import { ClaimLost } from '../hot/claims.ts'
import { LedgerFileUnusable } from './file.ts'
import { LedgerFileGone } from './file-identity.ts'
import { LedgerUnfinished } from '../open-storage.ts'
import { SealBroken } from '../sealing/seal.ts'
import type { ErrorCodec } from './calls.ts'

interface Written {
  name: string
  message: string
  code: string | undefined
  stack: string | undefined
  cause: Written | undefined
}

/** The error classes that callers of a ledger distinguish. */
const revivals: Record<string, (written: Written) => Error> = {
  ClaimLost: ({ message }) => new ClaimLost(message),
  SealBroken: ({ message }) => new SealBroken(message),
  LedgerUnfinished: ({ message }) => new LedgerUnfinished(message),
  LedgerFileUnusable: ({ message, code }) => new LedgerFileUnusable(message, code === 'ledger_file_unavailable'),
  LedgerFileGone: () => new LedgerFileGone(),
}

/** Carries a ledger's errors between threads, with their code, and their class if it is listed above. */
export const errorCodec: ErrorCodec = { write, read: (written) => read(written as Written) } // as write wrote it

function write(error: unknown): Written {
  const { name, message, stack, cause } =
    error instanceof Error ? error : new Error('A value that is not an Error was thrown.')
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return { name, message, code, stack, cause: cause === undefined ? undefined : write(cause) }
}

function read(written: Written): Error {
  const { name, message, code, stack, cause } = written
  const revived = revivals[name]?.(written)
  if (revived !== undefined) return revived
  const options = cause === undefined ? {} : { cause: read(cause) }
  return Object.assign(new Error(message, options), { name, stack, ...(code !== undefined && { code }) })
}
