import type { Observations } from '../observations.ts'
import { passUnless, type Rule } from './rule.ts'

/** Max CPU time in one stall. */
const maxCpuMs = 1_500
/** Max duration of a stall at any CPU time, such as a synchronous wait. Load alone never stalls a process this long. */
const maxWaitMs = 10_000

/** Whether a handler caused the stall, rather than load on the machine. */
export function isOwnStall({ handler, durationMs, cpuMs }: Observations['stalls'][number]): boolean {
  return handler !== '' && (cpuMs > maxCpuMs || durationMs > maxWaitMs)
}

/** No handler blocks the event loop. */
export const freeLoop: Rule = {
  id: 'free-loop',
  title: 'The event loop is never blocked',
  judge: ({ stalls }) =>
    passUnless(
      stalls
        .filter(isOwnStall)
        .map(
          ({ handler, durationMs, cpuMs }) =>
            `${handler} blocked the event loop for ${durationMs} ms, with ${cpuMs} ms of CPU time`,
        ),
    ),
}
