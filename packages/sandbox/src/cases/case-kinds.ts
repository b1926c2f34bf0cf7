import { benefitVerificationRows } from '../benefit-verification/states.ts'
import { clinicalQualificationRows } from '../clinical-qualification/states.ts'
import { paStatusRows } from '../pa-status/states.ts'
import type { Row } from '../platform/machine.ts'
import { priorAuthorizationRows } from '../prior-authorization/states.ts'
import { providerOutreachRows } from '../provider-outreach/states.ts'

interface KindOfCase {
  name: string
  rows: readonly Row<string, string>[]
}

/** Kinds of case on the pages, with their names and tables. */
export const caseKinds = {
  prior_authorization: { name: 'Prior authorization', rows: priorAuthorizationRows },
  benefit_verification: { name: 'Benefit verification', rows: benefitVerificationRows },
  clinical_qualification: { name: 'Clinical qualification', rows: clinicalQualificationRows },
  pa_status: { name: 'PA status check', rows: paStatusRows },
  provider_outreach: { name: 'Provider outreach', rows: providerOutreachRows },
} as const satisfies Record<string, KindOfCase>

export type CaseKind = keyof typeof caseKinds

/** The compiler types keys as strings. */
export const caseKindNames = Object.keys(caseKinds) as [CaseKind, ...CaseKind[]]

/** All statuses of a kind of case, or of all kinds, in the order of the tables. */
export function statusesOf(kind?: CaseKind): string[] {
  const kinds = kind === undefined ? caseKindNames : [kind]
  return [...new Set(kinds.flatMap((one) => caseKinds[one].rows.flatMap(({ from, to }): string[] => [from, to])))]
}
