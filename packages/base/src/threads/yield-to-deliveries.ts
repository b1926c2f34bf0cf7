import { getPriority, setPriority } from 'node:os'

/** The niceness of a thread that no delivery waits for. */
const yieldingNiceness = 10

/** Leaves a busy core to the threads that acknowledge and work. Only on Linux does the call concern the calling thread alone. */
export function yieldToDeliveries(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.max(getPriority(), yieldingNiceness))
  } catch {
    // Refused by a filter of system calls: the thread runs at the process's own priority.
  }
}
