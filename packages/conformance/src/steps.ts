import { faults, systemNames } from '@pawl/testing/lines/line-faults'
import { z } from 'zod'
import { benefitVerificationErrorCodes } from 'pawl-client/schemas/benefit-verification-errors'
import { type benefitVerificationCases, patientCoverageStatuses } from 'pawl-client/schemas/benefit-verification'
import { allDetailCodes, transferErrorCodes } from 'pawl-client/schemas/outcome'
import { priorAuthorizationStatuses } from 'pawl-client/schemas/prior-authorization'
import { outreachStates } from 'pawl-client/schemas/provider-outreach'
import { keysOf } from 'pawl-client/schemas/said'

/** Index of a resource among those created in the same list, from 0. */
const nth = z.int().min(0)

/** How the webhook of a change is sent. Absent: once, immediately. */
const Sent = z.enum(['twice', 'late', 'dropped', 'with_unknown_type', 'with_unknown_status', 'with_extra_fields'])

/** Parts of a PA that the service may answer with unknown values. Absent: its status. */
export const unknownPlaces = ['outcome', 'detail_code', 'transfer', 'error_code', 'activity'] as const

const activities = ['sent_fax', 'received_fax', 'follow_up_call'] as const

/** The cases of a drug in a completed BV. */
export const verifiedCases = [
  'drugs_covered__prior_auth_required__has_copay',
  'drugs_covered__prior_auth_required__no_copay',
  'drugs_covered__prior_auth_not_required__has_copay',
  'drugs_covered__prior_auth_not_required__no_copay',
  'drugs_not_covered__prior_auth_na__no_copay',
  'reverification__existing_pa',
  'reverification__no_existing_pa',
] as const satisfies readonly (typeof benefitVerificationCases)[number][]

/** `patient`: index of the person, 0 by default; several cases of one person are common. `appeals`: the denied PA under appeal. `outreach`: the prescriber is contacted by fax and by phone, in two attempts. `verifies`: the PA triggers a BV of its drug and an alternative. `sparse`: the service omits optional fields. */
const CreatePa = z.strictObject({
  do: z.literal('create_pa'),
  result: z.enum(['Approved', 'Denied', 'Not Submitted', 'Other']),
  transfer: z.boolean(),
  patient: nth.optional(),
  appeals: nth.optional(),
  outreach: z.boolean().optional(),
  verifies: z.boolean().optional(),
  sparse: z.boolean().optional(),
})
export type CreatedAs = z.infer<typeof CreatePa>

/** One step of a conformance run, as plain JSON. A run skips a step whose resource does not exist or cannot make that move. */
export const Step = z.discriminatedUnion('do', [
  CreatePa,
  z.strictObject({
    do: z.literal('create_bv'),
    fails: z.boolean(),
    drugs: z.int().min(1).max(12).optional(),
    patient: nth.optional(),
  }),
  z.strictObject({
    do: z.literal('move_pa'),
    pa: nth,
    to: z.enum(priorAuthorizationStatuses),
    result: z.enum(['Approved', 'Approval', 'Denied', 'Not Submitted', 'Other']).optional(),
    code: z.enum(allDetailCodes).optional(),
    /** The service answers with an unknown result. */
    unknown: z.boolean().optional(),
    sent: Sent.optional(),
  }),
  z.strictObject({
    do: z.literal('move_bv'),
    bv: nth,
    to: z.enum(['completed', 'failed', 'cancelled']),
    case: z.enum(verifiedCases).optional(),
    coverage: z.enum(patientCoverageStatuses).optional(),
    /** Findings differ from drug to drug, starting at this one of a list; some copays are 0. */
    mixed: nth.optional(),
    error: z.enum(benefitVerificationErrorCodes).optional(),
    /** The service answers with unknown findings. */
    unknown: z.boolean().optional(),
    sent: Sent.optional(),
  }),
  z.strictObject({
    do: z.literal('move_transfer'),
    pa: nth,
    to: z.string(),
    code: z.enum(transferErrorCodes).optional(),
    sent: Sent.optional(),
  }),
  z.strictObject({
    do: z.literal('move_outreach'),
    outreach: nth,
    to: z.enum(keysOf(outreachStates)),
    // A lost event of an outreach attempt cannot be recovered.
    sent: z.enum(['twice', 'late', 'with_unknown_status']).optional(),
  }),
  z.strictObject({
    do: z.literal('message'),
    pa: nth,
    count: z.int().min(1).max(20).optional(),
    attachments: z.int().min(0).max(3).optional(),
    /** The last one resolves the thread. */
    resolves: z.boolean().optional(),
    sent: Sent.optional(),
  }),
  z.strictObject({ do: z.literal('activity'), pa: nth, type: z.enum(activities), sent: Sent.optional() }),
  /** `needless`: costs nothing and needs no PA. */
  z.strictObject({
    do: z.literal('benefits_check'),
    pa: nth,
    needless: z.boolean().optional(),
    /** The patient's cost; a PA is required. */
    cost: z.string().optional(),
    sent: Sent.optional(),
  }),
  z.strictObject({ do: z.literal('redeliver'), pa: nth }),
  z.strictObject({ do: z.literal('redeliver_stale'), pa: nth }),
  z.strictObject({ do: z.literal('forge'), pa: nth }),
  z.strictObject({ do: z.literal('expire_files'), pa: nth }),
  /** From now on the service omits the PA's optional fields. */
  z.strictObject({ do: z.literal('leave_out'), pa: nth }),
  z.strictObject({ do: z.literal('answer_unknown_values'), pa: nth, where: z.enum(unknownPlaces).optional() }),
  /** The service withdraws unknown values. */
  z.strictObject({ do: z.literal('answer_known_values'), pa: nth }),
  /** The service corrects the outcome, or the last day of an approval, without a change of status. */
  z.strictObject({
    do: z.literal('correct_outcome'),
    pa: nth,
    result: z.enum(['Approved', 'Denied', 'Other']),
    code: z.enum(allDetailCodes),
    /** The last day, in days from today. */
    days: z.int().min(1).max(3_650).optional(),
    sent: Sent.optional(),
  }),
  /** Faxes have no addresses, until `isOver`. */
  z.strictObject({ do: z.literal('hold_back_faxes'), pa: nth, isOver: z.boolean().optional() }),
  z.strictObject({
    do: z.literal('fail'),
    system: z.enum(systemNames),
    fault: z.enum(faults),
    times: z.int().min(1).max(500),
    /** Only requests of this handler. */
    handler: z.string().optional(),
    /** Only requests that change something. */
    writes: z.boolean().optional(),
    /** Lets this many requests pass first. */
    after: z.int().min(0).optional(),
    /** Only requests that are not about this PA. */
    spares: nth.optional(),
  }),
  z.strictObject({ do: z.literal('heal') }),
  z.strictObject({ do: z.literal('answer_search_carelessly') }),
  z.strictObject({
    do: z.literal('staff_edit'),
    pa: nth,
    task: z.enum(['prior_authorization', 'staff']),
    when: z.enum(['now', 'before_next_write']),
  }),
  /** Staff complete the handlers' open tasks for this PA, except tasks without a key of their own. */
  z.strictObject({ do: z.literal('staff_complete'), pa: nth }),
  z.strictObject({ do: z.literal('set_clock'), minutes: z.int().min(-180).max(3_000) }),
  /** Waits until requests have met faults, and a moment longer. */
  z.strictObject({ do: z.literal('meet_faults') }),
  z.strictObject({ do: z.literal('restart') }),
  z.strictObject({ do: z.literal('kill') }),
  z.strictObject({ do: z.literal('settle') }),
])
export type Step = z.infer<typeof Step>

/** A fixed list that every run begins with. */
export interface Tour {
  /** Words joined by hyphens. */
  name: string
  steps: readonly Step[]
}

/** How the webhook of a change is sent. */
export type Sent = z.infer<typeof Sent>

/** The step as one report line. */
export function describeStep({ do: name, ...fields }: Step): string {
  const shown = Object.entries(fields).map(([field, value]) => `${field}=${String(value)}`)
  return [name, ...shown].join(' ')
}

/** Whether the step stops or kills the process. */
export function isRestart(step: Step): boolean {
  return step.do === 'restart' || step.do === 'kill' || (step.do === 'fail' && step.fault.startsWith('killed'))
}
