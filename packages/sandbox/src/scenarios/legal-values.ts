import { lifeCycles } from '../documents/life-cycles.ts'
import { answerSchemas } from '../documents/schemas.ts'
import type { Row } from '../platform/machine.ts'
import { fieldsAt } from '../platform/read-control.ts'
import type { CreatedKind, pushedParts, Step } from './schema.ts'

/** A table of any life cycle. */
type Rows = readonly Row<string, string>[]

/** The table of a life cycle. */
const table = (name: string): Rows => lifeCycles.find(({ id }) => id === `life-${name}`)?.rows ?? []

/** Tables by kind of created resource or pushed part. */
const rowsOf: Record<CreatedKind | (typeof pushedParts)[number], Rows> = {
  prior_authorization: table('prior-authorization'),
  benefit_verification: table('benefit-verification'),
  clinical_qualification: table('clinical-qualification'),
  pa_status: table('pa-status'),
  transfer: table('prescription-transfer'),
  benefits_check: table('benefits-check'),
  outreach_fax: table('provider-outreach'),
  outreach_email: table('provider-outreach'),
  outreach_phone: table('provider-outreach'),
}

const resources = {
  prior_authorization: answerSchemas.PriorAuthorization,
  benefit_verification: answerSchemas.BenefitVerification,
  clinical_qualification: answerSchemas.ClinicalQualification,
  pa_status: answerSchemas.PaStatusCheck,
} as const satisfies Record<CreatedKind, unknown>

/** Faults of a step's status that exist in every state of the resource. */
export function statusFaults(step: Step, kind: CreatedKind | undefined): string[] {
  if (kind === undefined) return []
  if (step.step === 'push') return notOneOf(step.status, pushable(step.of ?? kind))
  if (step.step === 'wait' && step.status !== undefined) return notOneOf(step.status, awaitable(kind))
  return []
}

/** Faults of an expected end: fields and statuses that the kind does not have. */
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

/** Statuses to wait for. A clinical qualification shows no status, so its results count. */
function awaitable(kind: CreatedKind): string[] {
  const own = states(rowsOf[kind])
  if (kind !== 'clinical_qualification') return own
  const { status } = resources.clinical_qualification.shape.results.element.shape
  return [...new Set([...own, ...status.options])]
}

/** Statuses to push to. A benefits check stops only with its PA. */
function pushable(of: keyof typeof rowsOf): string[] {
  const targets = [...new Set(rowsOf[of].map(({ to }) => to))]
  return of === 'benefits_check' ? targets.filter((state) => state !== 'stopped') : targets
}

const states = (rows: Rows) => [...new Set(rows.flatMap(({ from, to }) => [from, to]))]
