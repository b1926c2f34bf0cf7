import type { ErrorCodec } from './calls.ts'

/** An error on its way to another thread. */
export interface WrittenError {
  name: string
  message: string
  code: string | undefined
  stack: string | undefined
  cause: WrittenError | undefined
}

/** Carries errors between threads, with their code, and the class of those whose name is in `revivals`. */
export function createErrorCodec(revivals: Readonly<Record<string, (written: WrittenError) => Error>>): ErrorCodec {
  function read(written: WrittenError): Error {
    const { name, message, code, stack, cause } = written
    const revived = revivals[name]?.(written)
    if (revived !== undefined) return revived
    const options = cause === undefined ? {} : { cause: read(cause) }
    return Object.assign(new Error(message, options), { name, stack, ...(code !== undefined && { code }) })
  }
  return { write, read: (written) => read(written as WrittenError) } // as write wrote it
}

function write(error: unknown): WrittenError {
  const { name, message, stack, cause } =
    error instanceof Error ? error : new Error('A value that is not an Error was thrown.')
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return { name, message, code, stack, cause: cause === undefined ? undefined : write(cause) }
}
