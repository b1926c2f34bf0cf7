import type { PawlError } from '@pawl/base/errors'
import { isUnreached } from '@pawl/base/net/fetch'
import type { RunContext } from '@pawl/connector/system'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { PatientNotFound } from '../patient-not-found.ts'
import { type Acknowledgement, isDocumentUnknown, isPatientUnknown, verdictOf } from './acknowledgement.ts'
import type { MllpFailed } from './mllp-failed.ts'

/** The error of an exchange without an answer. If pawl cannot use the listener, for example because of a certificate, all work waits, and none is parked. */
export function failureOf(
  { message, isSettings, isGivenUp, cause }: MllpFailed,
  request: string,
  resourceId: string,
): EhrWriteFailed {
  return new EhrWriteFailed({
    resourceType: request,
    resourceId,
    reason: `MLLP: ${message}`,
    retry: 'backoff',
    isOutage: !isGivenUp,
    costsAttempt: !isSettings && !isUnreached(cause),
  })
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
