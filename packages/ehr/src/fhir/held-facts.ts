import { z } from 'zod'
import type { FoundRecord } from '@pawl/connector/system'
import { type StoredType, storedTypes } from './chart-types.ts'
import type { StoredResource } from './stored-resource.ts'

/** The status by which staff take a record back. */
export const withdrawn = 'entered-in-error'

/** Whether nobody takes it for valid any more. */
export function isWithdrawn({ resourceType, status }: StoredResource): boolean {
  return status === withdrawn || status === 'superseded' || (resourceType === 'Task' && status === 'cancelled')
}

const patientElement: Record<StoredType, string> = {
  Task: 'for',
  ClaimResponse: 'patient',
  CoverageEligibilityResponse: 'patient',
  Coverage: 'beneficiary',
  Communication: 'subject',
  DocumentReference: 'subject',
}

/** The id of the patient in whose chart it stands. */
export function patientIn(resource: StoredResource): string | undefined {
  const type = storedTypes.find((each) => each === resource.resourceType)
  const { reference } = Referring.safeParse(type && resource[patientElement[type]]).data ?? {}
  return /(?:^|\/)Patient\/([^/]+)$/.exec(reference ?? '')?.[1]
}

const Referring = z.looseObject({ reference: z.string() })

/** Status and date, as far as they are a code and a time. */
export function datesOf(held: StoredResource): Pick<FoundRecord, 'status' | 'at'> {
  const { status, date, sent, lastModified, authoredOn, created, meta } = held
  const at = [date, sent, lastModified, authoredOn, created, meta?.lastUpdated].find(
    (each): each is string => typeof each === 'string' && /^\d{4}(-\d\d){0,2}(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(each),
  )
  return {
    ...(typeof status === 'string' && /^[a-z-]{1,30}$/.test(status) && { status }),
    ...(at !== undefined && { at }),
  }
}
