import type { PawlError } from '@pawl/base/errors'
import type { RunContext } from '@pawl/connector/system'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { PatientNotFound } from '../patient-not-found.ts'
import { type Acknowledgement, isDocumentUnknown, isPatientUnknown, verdictOf } from './acknowledgement.ts'
import type { MllpFailed } from './mllp-failed.ts'

/** pawl cannot use the listener, for example because of a certificate: all work waits, and none is parked. */
class ListenerUnusable extends EhrWriteFailed {
  override readonly costsAttempt = false
}

/** The error of an exchange without an answer. */
export function failureOf({ message, isSettings, isGivenUp }: MllpFailed, request: string, resourceId: string) {
  const failure = {
    resourceType: request,
    resourceId,
    reason: `MLLP: ${message}`,
    retry: 'backoff',
    isOutage: !isGivenUp,
  } as const
  return isSettings ? new ListenerUnusable(failure) : new EhrWriteFailed(failure)
}

/** The error of a refused message. */
export function refusalOf(
  answer: Acknowledgement,
  request: string,
  { resourceId }: Pick<RunContext, 'resourceId'>,
): PawlError {
  const verdict = verdictOf(answer)
  if (isPatientUnknown(answer))
    return new PatientNotFound(
      `The EHR knows no patient with the number of ${resourceId} (${verdict.reason}): enter the patient there, or correct HL7_PATIENT_FIELD or HL7_ASSIGNING_AUTHORITY.`,
    )
  return new EhrWriteFailed({
    resourceType: request,
    resourceId,
    request,
    isGone: isDocumentUnknown(answer),
    ...verdict,
  })
}
