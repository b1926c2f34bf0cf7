import { BenefitVerificationResource } from '../benefit-verification/resource.ts'
import { benefitVerificationRows } from '../benefit-verification/states.ts'
import { ClinicalQualificationResource } from '../clinical-qualification/resource.ts'
import { clinicalQualificationRows } from '../clinical-qualification/states.ts'
import { PaStatusCheck } from '../pa-status/resource.ts'
import { paStatusRows } from '../pa-status/states.ts'
import type { Row } from '../platform/machine.ts'
import { fieldsAt } from '../platform/read-control.ts'
import { benefitsCheckRows } from '../prior-authorization/benefits-check-states.ts'
import { PriorAuthorizationResource } from '../prior-authorization/resource.ts'
import { priorAuthorizationRows } from '../prior-authorization/states.ts'
import { prescriptionTransferRows } from '../prior-authorization/transfer-states.ts'
import { providerOutreachRows } from '../provider-outreach/states.ts'
import type { CreatedKind, pushedParts, Step } from './schema.ts'

type Rows = readonly Row<string, string>[]

const rowsOf: Record<CreatedKind | (typeof pushedParts)[number], Rows> = {
  prior_authorization: priorAuthorizationRows,
  benefit_verification: benefitVerificationRows,
  clinical_qualification: clinicalQualificationRows,
  pa_status: paStatusRows,
  transfer: prescriptionTransferRows,
  benefits_check: benefitsCheckRows,
  outreach_fax: providerOutreachRows,
  outreach_email: providerOutreachRows,
  outreach_phone: providerOutreachRows,
}

const resources = {
  prior_authorization: PriorAuthorizationResource,
  benefit_verification: BenefitVerificationResource,
  clinical_qualification: ClinicalQualificationResource,
  pa_status: PaStatusCheck,
} as const satisfies Record<CreatedKind, unknown>

/** What is wrong with the status that a step names, whatever the resource will be by then. */
export function statusFaults(step: Step, kind: CreatedKind | undefined): string[] {
  if (kind === undefined) return []
  if (step.step === 'push') return notOneOf(step.status, targets(rowsOf[step.of ?? kind]))
  if (step.step === 'wait' && step.status !== undefined) return notOneOf(step.status, states(rowsOf[kind]))
  return []
}

/** What a resource of a kind can never end with: fields that it does not have, a status that does not exist. */
export function endFaults(name: string, expected: Record<string, unknown>, kind: CreatedKind | undefined): string[] {
  if (kind === undefined) return []
  const { status } = expected
  const unknown = unknownFields(kind, expected, [])
  const wrong = typeof status === 'string' && unknown.length === 0 ? notOneOf(status, states(rowsOf[kind])) : []
  return [...unknown, ...wrong.map((fault) => `.${fault}`)].map((fault) => `ends: ${name}${fault}`)
}

function unknownFields(kind: CreatedKind, expected: object, path: readonly string[]): string[] {
  const legal = fieldsAt(resources[kind], path)
  if (legal.length === 0) return []
  return Object.entries(expected).flatMap(([key, value]: [string, unknown]) => {
    if (!legal.includes(key)) return [`${['', ...path].join('.')}: has no "${key}"; legal here: ${legal.join(', ')}`]
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? unknownFields(kind, value, [...path, key]) : []
  })
}

function notOneOf(status: string, legal: readonly string[]): string[] {
  return legal.includes(status) ? [] : [`status: "${status}" does not exist; legal: ${legal.join(', ')}`]
}

const targets = (rows: Rows) => [...new Set(rows.map(({ to }) => to))]
const states = (rows: Rows) => [...new Set(rows.flatMap(({ from, to }) => [from, to]))]
