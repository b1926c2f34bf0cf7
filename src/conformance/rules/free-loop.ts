import { passUnless, type Rule } from './rule.ts'

/** Beyond what a busy machine does to a process. */
const maxHoldMs = 1_500

/** No handler keeps the process from everything else. */
export const freeLoop: Rule = {
  id: 'free-loop',
  title: 'The process is never held up',
  judge: ({ holds }) =>
    passUnless(
      holds
        .filter(({ handler, durationMs }) => handler !== '' && durationMs > maxHoldMs)
        .map(({ handler, durationMs }) => `nothing else could run for ${durationMs} ms while ${handler} was in work`),
    ),
}
