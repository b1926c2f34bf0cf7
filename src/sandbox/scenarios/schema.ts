import { z } from 'zod'
import { eventTypes } from '../webhooks/settings.ts'
import { attachedToFax, Attachment } from '../platform/attachment.ts'
import { answeringFaults, presetNames, sendingFaults } from '../platform/chaos-settings.ts'

const text = z.string().min(1)
/** What a scenario calls a resource: later steps name it, and bodies have its id as `$name`. */
const name = z.string().regex(/^[a-z][a-z0-9_]*$/, { error: 'must be lower-case letters, digits and underscores' })
const json = z.record(z.string(), z.unknown())
const chance = z.number().min(0).max(1)

/** What a step can create. */
export const createdKinds = [
  'prior_authorization',
  'benefit_verification',
  'clinical_qualification',
  'pa_status',
] as const
export type CreatedKind = (typeof createdKinds)[number]

/** What can be pushed besides the resource itself. */
export const pushedParts = ['transfer', 'benefits_check', 'outreach_fax', 'outreach_email', 'outreach_phone'] as const

/** Calls a create endpoint. `body` takes the place of the fields of an example that is accepted; null leaves a field out. */
const Create = z.strictObject({
  step: z.literal('create'),
  kind: z.enum(createdKinds),
  as: name,
  body: json.optional(),
  /** The error code that the endpoint must refuse it with. */
  refused_with: text.optional(),
})

/** Moves a resource, or with `of` a part of it, to a legal next status. */
const Push = z.strictObject({
  step: z.literal('push'),
  resource: name,
  of: z.enum(pushedParts).optional(),
  status: text,
  outcome: z.strictObject({ result: text, detail_code: text.optional() }).optional(),
})

/** Leaps to the moment when a resource has come to a status by itself, or over some hours of sandbox time; or lets some real seconds pass. */
const Wait = z
  .strictObject({
    step: z.literal('wait'),
    resource: name.optional(),
    status: text.optional(),
    hours: z.number().positive().optional(),
    seconds: z.number().positive().max(60).optional(),
  })
  .refine(
    ({ resource, status, hours, seconds }) =>
      (resource === undefined) === (status === undefined) &&
      [status, hours, seconds].filter((one) => one !== undefined).length === 1,
    { error: 'takes resource and status, or hours, or seconds' },
  )

/** Adds a message to the thread of a PA. */
const Message = z.strictObject({
  step: z.literal('message'),
  resource: name,
  content: text,
  direction: z.enum(['sent', 'received']).optional(),
  sent_by_name: text.optional(),
  is_resolution: z.boolean().optional(),
  attachments: z.array(Attachment).optional(),
})

/** Adds a letter (a fax) or a call to the activity log of a PA. */
const Letter = z
  .strictObject({
    step: z.literal('letter'),
    resource: name,
    type: z.enum(['received_fax', 'sent_fax', 'follow_up_call']),
    notes: text.optional(),
    /** What the fax is. */
    attachment: Attachment.optional(),
  })
  .refine(...attachedToFax)

/** Lets the next calls of an operation fail with a documented code. */
const Fail = z.strictObject({
  step: z.literal('fail'),
  operation: text,
  code: text,
  times: z.int().positive().optional(),
})

/** Sets the chances of faults until the end of the run. */
const Chaos = z.strictObject({
  step: z.literal('chaos'),
  preset: z.enum(presetNames).optional(),
  sending: z.partialRecord(z.enum(sendingFaults), chance).optional(),
  answering: z.partialRecord(z.enum(answeringFaults), chance).optional(),
})

/** The schema of each kind of step. */
export const stepSchemas = {
  create: Create,
  push: Push,
  wait: Wait,
  message: Message,
  letter: Letter,
  fail: Fail,
  chaos: Chaos,
} as const
export type StepKind = keyof typeof stepSchemas
// The compiler types keys as strings only.
export const stepKinds = Object.keys(stepSchemas) as StepKind[]

export const Step = z.discriminatedUnion('step', [Create, Push, Wait, Message, Letter, Fail, Chaos])
export type Step = z.infer<typeof Step>
export type StepOf<Kind extends StepKind> = Extract<Step, { step: Kind }>

/** An event that a run causes, in the order of the run. */
export const ExpectedEvent = z.strictObject({
  resource: z.string().regex(/^[a-z][a-z0-9_.]*$/),
  event_type: z.enum(eventTypes),
  /** The status (of the transfer, of the outreach attempt) that the event carries. */
  shows: text.optional(),
})
export type ExpectedEvent = z.infer<typeof ExpectedEvent>

/** A story of the service, told by calls of its endpoints and controls. */
export const Scenario = z.strictObject({
  /** One sentence: what happens. */
  summary: text,
  /** Settings that the organization has while the scenario runs. */
  organization: z
    .strictObject({
      workflow: z.enum(['delegated', 'non_delegated']).optional(),
      manual_review: z.boolean().optional(),
      pharmacy: z.boolean().optional(),
      requires_provider_authorization: z.boolean().optional(),
    })
    .optional(),
  steps: z.array(Step).min(1, { error: 'must have a step' }),
  /** Every event, in order; what is on request arrives only where the webhook names it. */
  events: z.array(ExpectedEvent).optional(),
  /** By name: fields that the resource has at the end. */
  ends: z.record(name, json).optional(),
})
export type Scenario = z.infer<typeof Scenario>
