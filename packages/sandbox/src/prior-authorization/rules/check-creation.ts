import { contentRules } from './content.ts'
import { limitRules } from './limits.ts'
import { outreachRules } from './outreach.ts'
import { resubmissionRules } from './resubmission.ts'
import type { Circumstances, Rule } from './content-rule.ts'

/** Rules that a schema cannot express, in order of checking (specification, Endpoint rules). A refused request consumes no limit. */
const rules: readonly Rule[] = [...contentRules, ...resubmissionRules, ...outreachRules, ...limitRules]

/** Throws the refusal of the first rule that the request breaks. */
export function checkCreation(about: Circumstances): void {
  for (const rule of rules) {
    const refusal = rule(about)
    if (refusal !== undefined) throw refusal
  }
}
