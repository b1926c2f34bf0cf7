import { contentRules } from './rules/content.ts'
import { limitRules } from './rules/limits.ts'
import { outreachRules } from './rules/outreach.ts'
import { resubmissionRules } from './rules/resubmission.ts'
import type { Circumstances, Rule } from './rules/rule.ts'

/** The rules that a schema cannot state, in the order in which they are tried (specification, Endpoint rules). What is refused uses up no limit. */
const rules: readonly Rule[] = [...contentRules, ...resubmissionRules, ...outreachRules, ...limitRules]

/** Throws the refusal of the first rule that the request breaks. */
export function checkCreation(about: Circumstances): void {
  for (const rule of rules) {
    const refusal = rule(about)
    if (refusal !== undefined) throw refusal
  }
}
