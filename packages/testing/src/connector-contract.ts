import { effectRules } from './contract/effect-rules.ts'
import { lifeRules } from './contract/life.ts'
import { patientDataRules } from './contract/patient-data.ts'
import { requestRules } from './contract/request-rules.ts'
import { rightToActRules } from './contract/right-to-act.ts'
import { staffRules } from './contract/staff-rules.ts'
import type { ContractSubject, Rule } from './contract/contract-subject.ts'
import { verdictRules } from './contract/verdicts.ts'

/** The rules that every connector keeps, one test each, except rules about faults that the far side cannot produce. Throws a `TypeError` if the first state lacks a value of `patientData`. */
export function connectorContract<Port extends object, State>(subject: ContractSubject<Port, State>): Rule[] {
  return [effectRules, staffRules, verdictRules, requestRules, rightToActRules, patientDataRules, lifeRules].flatMap(
    (rules) => rules(subject),
  )
}
