import type { Observations } from '../observations.ts'
import { passUnless, type Rule } from './rule.ts'

/** What a run may use of a processor in one piece. */
const maxCpuMs = 1_500
/** However little it used: it waited without giving way, as a synchronous call does. No machine is so busy. */
const maxWaitMs = 10_000

/** Whether a handler held up the process itself, and not the machine, on which others may want the processor. */
export function isOwnHoldUp({ handler, durationMs, cpuMs }: Observations['holds'][number]): boolean {
  return handler !== '' && (cpuMs > maxCpuMs || durationMs > maxWaitMs)
}

/** No handler keeps the process from everything else. */
export const freeLoop: Rule = {
  id: 'free-loop',
  title: 'The process is never held up',
  judge: ({ holds }) =>
    passUnless(
      holds
        .filter(isOwnHoldUp)
        .map(
          ({ handler, durationMs, cpuMs }) =>
            `nothing else could run for ${durationMs} ms, in which the process used ${cpuMs} ms of a processor, while ${handler} was in work`,
        ),
    ),
}
