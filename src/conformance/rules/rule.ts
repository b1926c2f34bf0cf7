import type { Observations } from '../observations.ts'

/** What a rule says of a run. A failure is one sentence with labels, codes and numbers, without patient data. */
export type Verdict = { result: 'pass' } | { result: 'fail' | 'not applicable'; because: string }

/** Something that an integration has to hold to, whatever happens. */
export interface Rule {
  /** Stable: `--only` takes it, and docs/conformance.md explains it under this name. */
  id: string
  title: string
  judge(this: void, seen: Observations): Verdict
}

export const pass: Verdict = { result: 'pass' }
export const fail = (because: string): Verdict => ({ result: 'fail', because })
export const notApplicable = (because: string): Verdict => ({ result: 'not applicable', because })

/** Passes unless there is something to say; more than the first is counted. */
export function passUnless(faults: readonly string[]): Verdict {
  const [first, ...others] = faults
  if (first === undefined) return pass
  return fail(others.length === 0 ? first : `${first} (and ${others.length} more like it)`)
}
