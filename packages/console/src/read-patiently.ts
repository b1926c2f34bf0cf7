import { setTimeout as sleep } from 'node:timers/promises'

/** Makes a read that resolves within `patienceMs`: with a new answer or, if that takes longer, with the last one (`otherwise` before the first). A late read is not repeated before it ends. Rejects if the read fails in time. */
export function readPatiently<T>(read: () => Promise<T>, patienceMs: number, otherwise: T): () => Promise<T> {
  let last = otherwise
  let late: Promise<unknown> | undefined

  return async () => {
    const reading = late ?? read().then((answer) => (last = answer))
    const isInTime = await Promise.race([reading.then(() => true), sleep(patienceMs, false, { ref: false })])
    // A late failure must not reject the next read.
    if (!isInTime) late ??= reading.catch(() => undefined).finally(() => (late = undefined))
    return last
  }
}
