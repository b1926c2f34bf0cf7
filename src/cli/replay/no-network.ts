import { AsyncLocalStorage } from 'node:async_hooks'
import { Socket } from 'node:net'
import { NotRehearsable } from '../../systems/not-rehearsable.ts'

/** Keeps what handlers do beside their ports from reaching anybody. */
export interface NetworkGuard {
  /** Runs it, and everything that it starts, without a connection to anywhere; `onRefused` hears of each attempt. */
  without<T>(this: void, onRefused: () => void, run: () => Promise<T>): Promise<T>
  /** Within `without`: runs it with the network that there is. */
  allow<T>(this: void, run: () => Promise<T>): Promise<T>
  /** Puts everything back. */
  remove(this: void): void
}

const refusal = () => new NotRehearsable('A rehearsal sends nothing.')

/** Guards `fetch` and every socket of this process. */
export function guardNetwork(): NetworkGuard {
  const runs = new AsyncLocalStorage<{ onRefused: () => void } | undefined>()
  // eslint-disable-next-line typescript/unbound-method -- it is called with the socket that it was called on
  const { connect } = Socket.prototype
  const { fetch } = globalThis

  function connectUnlessRefused(this: Socket, ...args: unknown[]): Socket {
    const run = runs.getStore()
    // The arguments are those of one of its overloads, whichever it is.
    if (run === undefined) return connect.apply(this, args as unknown as Parameters<typeof connect>)
    run.onRefused()
    return this.destroy(refusal())
  }
  Socket.prototype.connect = connectUnlessRefused
  // A connection that is there already would be used again.
  globalThis.fetch = async (...args) => {
    const run = runs.getStore()
    if (run === undefined) return fetch(...args)
    run.onRefused()
    throw refusal()
  }

  return {
    without: (onRefused, run) => runs.run({ onRefused }, run),
    allow: (run) => runs.run(undefined, run),
    remove() {
      Socket.prototype.connect = connect
      globalThis.fetch = fetch
    },
  }
}
