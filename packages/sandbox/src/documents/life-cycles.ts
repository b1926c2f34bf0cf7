import { benefitVerificationMeanings } from 'pawl-client/schemas/benefit-verification'
import { paStatuses } from 'pawl-client/schemas/pa-status'
import { priorAuthorizationMeanings } from 'pawl-client/schemas/prior-authorization'
import { outreachStates } from 'pawl-client/schemas/provider-outreach'
import * as texts from './state-texts.ts'
import { benefitVerificationRows } from '../benefit-verification/states.ts'
import { clinicalQualificationRows } from '../clinical-qualification/states.ts'
import { paStatusRows } from '../pa-status/states.ts'
import type { Row } from '../platform/machine.ts'
import { benefitsCheckRows } from '../prior-authorization/benefits-check-states.ts'
import { priorAuthorizationRows } from '../prior-authorization/states.ts'
import { prescriptionTransferRows } from '../prior-authorization/transfer-states.ts'
import { providerAuthorizationRows } from '../provider/states.ts'
import { providerOutreachRows } from '../provider-outreach/states.ts'

/** States of one kind of resource, or of a part of it, for the reference page. */
export interface LifeCycle {
  /** Unique on the page. */
  id: string
  title: string
  /** The property with the state, and further facts. */
  note: string
  rows: readonly Row<string, string>[]
  /** By state, initial state first. */
  meanings: Record<string, string>
  /** By condition. */
  conditions: Record<string, string>
}

/** All life cycles, from the tables that the sandbox runs on. */
export const lifeCycles: readonly LifeCycle[] = [
  {
    id: 'life-prior-authorization',
    title: 'Prior authorization',
    note: 'Shown as `status`. Each change emits `prior_authorization.status_change`.',
    rows: priorAuthorizationRows,
    meanings: priorAuthorizationMeanings,
    conditions: texts.priorAuthorizationConditions,
  },
  {
    id: 'life-benefit-verification',
    title: 'Benefit verification',
    note: 'Shown as `status`. Only `completed` and `failed` emit `benefit_verification.status_change`.',
    rows: benefitVerificationRows,
    meanings: benefitVerificationMeanings,
    conditions: texts.benefitVerificationConditions,
  },
  {
    id: 'life-prescription-transfer',
    title: 'Prescription transfer',
    note: 'Steps within the sandbox; `prescription_transfer.status` shows most running ones as `in_progress`. The transfer begins once a PA with `ndp_submission` is approved or not required. Each change emits `prior_authorization.prescription_transfer_change`.',
    rows: prescriptionTransferRows,
    meanings: texts.transferSteps,
    conditions: texts.transferConditions,
  },
  {
    id: 'life-benefits-check',
    title: 'Real-time benefits check',
    note: 'Shown only by `real_time_benefits_check_response`. Only PAs with `ndp_submission` have a check. Completion emits `prior_authorization.real_time_benefits_check_change`.',
    rows: benefitsCheckRows,
    meanings: texts.benefitsCheckMeanings,
    conditions: {},
  },
  {
    id: 'life-provider-outreach',
    title: 'Provider outreach attempt',
    note: 'Shown as `state` (beta). Each change emits `prior_authorization.provider_outreach_change`.',
    rows: providerOutreachRows,
    meanings: outreachStates,
    conditions: texts.outreachConditions,
  },
  {
    id: 'life-clinical-qualification',
    title: 'Clinical qualification',
    note: 'Shown only by `results[].status`. Emits no event.',
    rows: clinicalQualificationRows,
    meanings: texts.clinicalQualificationMeanings,
    conditions: {},
  },
  {
    id: 'life-provider-authorization',
    title: 'Provider authorization',
    note: 'Shown only by `GET /authorized-providers`. Emits no event.',
    rows: providerAuthorizationRows,
    meanings: texts.providerAuthorizationMeanings,
    conditions: {},
  },
  {
    id: 'life-pa-status',
    title: 'PA status check',
    note: 'Shown as `status` (unreleased). Emits no event.',
    rows: paStatusRows,
    meanings: paStatuses,
    conditions: texts.paStatusConditions,
  },
]
