import { z } from 'zod'
import { benefitVerificationControl } from './benefit-verification/controls.ts'
import { BenefitVerificationPush } from './benefit-verification/pushed-result.ts'
import { clinicalQualificationControl } from './clinical-qualification/controls.ts'
import { ClinicalQualificationPush } from './clinical-qualification/pushed-result.ts'
import { paStatusControl } from './pa-status/controls.ts'
import { PaStatusPush } from './pa-status/pushed-result.ts'
import { control, type Control } from './platform/control.ts'
import { readControl } from './platform/read-control.ts'
import { codedRefusal } from './platform/refusal.ts'
import type { ResourceControl } from './platform/resource-control.ts'
import { priorAuthorizationControl, PriorAuthorizationPush } from './prior-authorization/controls.ts'
import { providerOutreachControl, ProviderOutreachPush } from './provider-outreach/controls.ts'
import type { ResourceKinds } from './resource-kinds.ts'
import type { Truth } from './truth.ts'
import type { EmittedEvent, RecordEvents } from './webhooks/webhooks.ts'

/** Results that a push may set with the status; each kind has its own. */
export type PushOptions = PriorAuthorizationPush & BenefitVerificationPush & ClinicalQualificationPush & PaStatusPush

/** A moved resource, and the events emitted for it. */
export interface Pushed {
  id: string
  status: string
  events: EmittedEvent[]
}

/** Controls over resources of any kind. */
export interface ResourceControls {
  /** Moves a PA, BV, outreach attempt, clinical qualification or PA status check to a legal next status, with a result of its kind. */
  push(id: string, status: string, options?: PushOptions): Pushed
  /** Cancels a PA or BV as its endpoint does, or an outreach attempt. */
  cancel(id: string): Pushed
}

export function resourceControls(kinds: ResourceKinds, recordEvents: RecordEvents): ResourceControls {
  const controls: ResourceControl[] = [
    priorAuthorizationControl(kinds.priorAuthorizations),
    benefitVerificationControl(kinds.benefitVerifications),
    providerOutreachControl(kinds.outreaches),
    clinicalQualificationControl(kinds.clinicalQualifications),
    paStatusControl(kinds.paStatusChecks),
  ]

  function controlOf(id: string): ResourceControl {
    const control = controls.find(({ has }) => has(id))
    if (control !== undefined) return control
    throw codedRefusal(404, {
      title: 'Unknown resource',
      description: `No resource with a status has the id ${id}; GET /_sandbox/truth lists all resources.`,
      code: 'unknown_resource',
    })
  }

  function pushed(id: string, push: () => string): Pushed {
    const { result: status, events } = recordEvents(push)
    return { id, status, events }
  }

  return {
    push: (id, status, options = {}) => pushed(id, () => controlOf(id).push(id, { ...options, status })),
    cancel: (id) => {
      const { cancel } = controlOf(id)
      if (cancel !== undefined) return pushed(id, () => cancel(id))
      throw codedRefusal(409, {
        title: 'Cannot be cancelled',
        description: `${id} cannot be cancelled: only PAs, BVs and outreach attempts can.`,
        code: 'cannot_be_cancelled',
      })
    },
  }
}

const PushRequest = z.looseObject({})

/** Routes of the controls, and of the truth. */
export const resourceControlRoutes = (controls: ResourceControls, truth: () => Truth): Control[] => [
  // Not renamed: fields of a resource keep their names.
  control('GET /truth', { summary: 'Show every resource as it stands' }, ({ res }) =>
    res.json({ status: 'success', data: truth() }),
  ),
  control(
    'POST /resources/:id/push',
    {
      summary: 'Push a resource to a legal next status, with a result of its kind',
      documentedBody: z.union([
        PriorAuthorizationPush,
        BenefitVerificationPush,
        ClinicalQualificationPush,
        PaStatusPush,
        ProviderOutreachPush,
      ]),
    },
    ({ id, req }) => {
      const { status, ...options } = readControl(PushRequest, req.body)
      // The compiler cannot see that the kind's schema checks the status with all the rest.
      return controls.push(id, status as string, options)
    },
  ),
  control(
    'POST /resources/:id/cancel',
    { summary: 'Cancel a PA or BV as its endpoint does, or an outreach attempt' },
    ({ id }) => controls.cancel(id),
  ),
]
