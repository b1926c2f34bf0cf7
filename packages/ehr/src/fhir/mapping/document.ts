import type { DocumentReference } from 'fhir/r4.js'
import type { BenefitVerification } from 'pawl-client/schemas/benefit-verification'
import { isTerminal } from 'pawl-client/schemas/kinds'
import type { PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import type { Filing } from '../../filing.ts'
import { benefitVerificationNarrative } from '../../narrative/benefit-verification-narrative.ts'
import type { MappingContext } from './context.ts'
import { documentReference, documentTypes } from './document-reference.ts'
import { narrativeAttachments } from './narrative-attachment.ts'
import type { Narrative } from '../../narrative/narrative.ts'
import { priorAuthorizationNarrative } from '../../narrative/prior-authorization-narrative.ts'
import { toInstant } from '../../primitives.ts'
import { identifierOf, type NamedIdentifier } from './references.ts'

/** A PA as a document that a clinician reads at a glance: one of each state, or of its result. */
export function toPriorAuthorizationDocument(
  context: MappingContext,
  pa: PriorAuthorization,
  states: Filing['states'] = 'every',
): Promise<DocumentReference> {
  return narrated(context, {
    identifier: identifierOf(context.base, 'prior-authorization', pa.id),
    narrative: priorAuthorizationNarrative(pa, states),
    isFinal: isTerminal('prior_authorization', pa.status),
  })
}

/** A BV as a document that a clinician reads at a glance. */
export function toBenefitVerificationDocument(
  context: MappingContext,
  bv: BenefitVerification,
): Promise<DocumentReference> {
  return narrated(context, {
    identifier: identifierOf(context.base, 'benefit-verification', bv.id),
    narrative: benefitVerificationNarrative(bv),
    isFinal: isTerminal('benefit_verification', bv.status),
  })
}

interface Narrated {
  identifier: NamedIdentifier
  narrative: Narrative
  isFinal?: boolean
  /** ISO date-time; absent, or without a time: now. */
  at?: string | undefined
}

/** A document that is rendered once, and keeps the date of the chart's current one. */
export function renderedOnce(render: () => Promise<DocumentReference>) {
  let rendering: Promise<DocumentReference> | undefined
  return async (held: DocumentReference | undefined): Promise<DocumentReference> => {
    const document = await (rendering ??= render())
    return held?.date === undefined ? document : { ...document, date: held.date }
  }
}

/** A narrative as a document in each of the chart's formats. */
export async function narrated(
  context: MappingContext,
  { identifier, narrative, isFinal = true, at }: Narrated,
): Promise<DocumentReference> {
  return documentReference(context, {
    identifier,
    type: documentTypes.note,
    docStatus: isFinal ? 'final' : 'preliminary',
    date: toInstant(at),
    description: narrative.title,
    attachments: await narrativeAttachments(context, narrative),
  })
}
