import type { Observations } from '../observations.ts'

/** A rule's verdict on a run. A failure is one sentence of labels, codes and numbers, without patient data. */
export type Verdict = { result: 'pass' } | { result: 'fail' | 'not applicable'; because: string }

/** A guarantee that an integration must keep in every run. */
export interface Rule {
  /** Stable: `--only` accepts it, and docs/conformance.md has a section of this name. */
  id: string
  title: string
  judge(this: void, seen: Observations): Verdict
}

export const pass: Verdict = { result: 'pass' }
export const fail = (because: string): Verdict => ({ result: 'fail', because })
export const notApplicable = (because: string): Verdict => ({ result: 'not applicable', because })

/** Passes without faults; otherwise reports the first and counts the rest. */
export function passUnless(faults: readonly string[]): Verdict {
  const [first, ...others] = faults
  if (first === undefined) return pass
  return fail(others.length === 0 ? first : `${first} (and ${others.length} more like it)`)
}
