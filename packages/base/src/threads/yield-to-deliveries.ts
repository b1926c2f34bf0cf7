import { getPriority, setPriority } from 'node:os'

/** The niceness of a thread that no delivery waits for. */
const yieldingNiceness = 10

/** Leaves a busy core to the threads that acknowledge and work. Linux only, where the call affects just the calling thread. */
export function yieldToDeliveries(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.max(getPriority(), yieldingNiceness))
  } catch {
    // A system call filter may refuse it: the thread then keeps the process's priority.
  }
}
