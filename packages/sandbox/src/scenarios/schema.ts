import { z } from 'zod'
import { MessageRequest } from '../platform/message-request.ts'
import { eventTypes } from '../webhooks/settings.ts'
import { attachedToFax, Attachment } from '../platform/attachment.ts'
import { ChaosSettings, presetNames } from '../platform/chaos-settings.ts'

const text = z.string().min(1)
/** Name of a resource within a scenario, for later steps; `$name` in a body becomes its id. */
const name = z.string().regex(/^[a-z][a-z0-9_]*$/, { error: 'must be lower-case letters, digits and underscores' })
const json = z.record(z.string(), z.unknown())

export const createdKinds = [
  'prior_authorization',
  'benefit_verification',
  'clinical_qualification',
  'pa_status',
] as const
export type CreatedKind = (typeof createdKinds)[number]

/** Parts that can be pushed besides the resource itself. */
export const pushedParts = ['transfer', 'benefits_check', 'outreach_fax', 'outreach_email', 'outreach_phone'] as const

/** Calls a create endpoint. `body` overrides fields of a valid example; null removes a field. */
const Create = z.strictObject({
  step: z.literal('create'),
  kind: z.enum(createdKinds),
  as: name,
  body: json.optional(),
  /** Expected error code of the endpoint. */
  refused_with: text.optional(),
})

/** Moves a resource, or the part named in `of`, to a legal next status; with the status that it has and an outcome, changes the outcome alone. */
const Push = z.strictObject({
  step: z.literal('push'),
  resource: name,
  of: z.enum(pushedParts).optional(),
  status: text,
  outcome: z
    .strictObject({ result: text, detail_code: text.optional(), authorization_expiration: z.iso.date().optional() })
    .optional(),
})

/** Advances sandbox time until a resource reaches a status by itself, or by some hours; or waits for some real seconds. */
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
const Message = MessageRequest.extend({ step: z.literal('message'), resource: name })

/** Adds a letter (a fax) or a call to the activity log of a PA. */
const Letter = z
  .strictObject({
    step: z.literal('letter'),
    resource: name,
    type: z.enum(['received_fax', 'sent_fax', 'follow_up_call']),
    notes: text.optional(),
    /** The faxed file. */
    attachment: Attachment.optional(),
  })
  .refine(...attachedToFax)

/** Makes the next calls of an operation fail with a documented code. */
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
  ...ChaosSettings.shape,
})

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

/** An event expected of a run. */
export const ExpectedEvent = z.strictObject({
  resource: z.string().regex(/^[a-z][a-z0-9_.]*$/),
  event_type: z.enum(eventTypes),
  /** Status in the event, of the resource, transfer or outreach attempt. */
  shows: text.optional(),
})
export type ExpectedEvent = z.infer<typeof ExpectedEvent>

/** A case of the service, as a list of calls of endpoints and controls. */
export const Scenario = z.strictObject({
  /** One sentence. */
  summary: text,
  /** Settings of the organization during the run. */
  organization: z
    .strictObject({
      workflow: z.enum(['delegated', 'non_delegated']).optional(),
      manual_review: z.boolean().optional(),
      pharmacy: z.boolean().optional(),
      requires_provider_authorization: z.boolean().optional(),
    })
    .optional(),
  steps: z.array(Step).min(1, { error: 'must have a step' }),
  /** All events, in order. Types on request reach only webhooks that name them. */
  events: z.array(ExpectedEvent).optional(),
  /** Expected fields of each resource at the end, by name. */
  ends: z.record(name, json).optional(),
})
export type Scenario = z.infer<typeof Scenario>
