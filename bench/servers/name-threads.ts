import { writeFileSync } from 'node:fs'
import { isMainThread, workerData } from 'node:worker_threads'

// Preloaded: each thread is called what it serves, so that its CPU can be told from outside. The ledger's says so in its start data.
if (!isMainThread) {
  const { serves = 'other' } = (workerData ?? {}) as { serves?: string }
  writeFileSync('/proc/thread-self/comm', serves)
}
