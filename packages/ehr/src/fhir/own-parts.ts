import type { StoredType } from './chart-types.ts'
import type { Content } from './owned.ts'

/** Fields that each of pawl's resources has, besides its identifier: where one is absent, the chart drops fields. */
export const alwaysSaid: Record<StoredType, readonly string[]> = {
  Task: ['code', 'description'],
  ClaimResponse: [],
  CoverageEligibilityResponse: [],
  Coverage: [],
  Communication: ['partOf'],
  DocumentReference: ['docStatus', 'description', 'category'],
}

/** Fields that pawl may have left to the server or to staff. */
const fillable: Record<StoredType, readonly string[]> = {
  Task: ['owner', 'priority', 'restriction', 'requester'],
  ClaimResponse: [],
  CoverageEligibilityResponse: [],
  Coverage: ['period'],
  Communication: ['sender', 'recipient', 'category'],
  DocumentReference: ['context', 'category'],
}

/** Statuses of a staff task, which belong to staff. */
const staffStatuses = ['requested', 'received', 'accepted', 'ready', 'in-progress', 'on-hold', 'completed', 'cancelled']

/** Possible contents of pawl's own write of a resource: with and without each fillable field. */
export function ownParts(type: StoredType, own: Content, role: string): Content[] {
  const asOpened = { ...own, businessStatus: own.reasonCode, statusReason: undefined }
  const isStaffTask = role.includes('staff-task/')
  return fillable[type].reduce<Content[]>(
    (parts, name) =>
      parts.flatMap((part) => (part[name] === undefined ? [part] : [part, { ...part, [name]: undefined }])),
    isStaffTask ? [own, ...staffStatuses.map((status) => ({ ...asOpened, status }))] : [own],
  )
}
