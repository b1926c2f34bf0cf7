import type { Difference, RunContext } from '@pawl/connector/system'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import type { ChartClient } from './chart-client.ts'
import type { StoredResource } from './stored-resource.ts'
import { type StoredType, storedTypes } from './chart-types.ts'
import { type Remembered, toMemo } from './memo.ts'
import { addedIn, type Content, digestOf } from './owned.ts'

export interface VerifyMemoryDeps {
  client: Pick<ChartClient, 'read'>
  /** Base of pawl's identifier systems, without a slash at its end. */
  base: string
  run: Pick<RunContext, 'digest'>
}

/** Compares the chart's resource with the memory under a role; `undefined` if that names no resource. Throws `EhrWriteFailed` if another attempt may pass. */
export async function verifyMemory(
  { client, base, run }: VerifyMemoryDeps,
  { role, remembered }: { role: string; remembered: Remembered },
): Promise<Difference | 'same' | undefined> {
  const type = storedTypes.find((each) => role.startsWith(`${each} `))
  const memo = toMemo(remembered)
  if (type === undefined || memo?.id === undefined || memo.isLost) return undefined
  const { id, version, digest, isEnded } = memo
  let held: StoredResource | undefined
  try {
    held = await client.read(type, id)
  } catch (error) {
    if (!(error instanceof EhrWriteFailed) || error.retry !== 'never') throw error
    return { type, id, is: 'unreadable' }
  }
  if (held === undefined) return { type, id, is: 'missing' }
  const heldVersion = held.meta?.versionId
  if (version !== undefined && version === heldVersion) return 'same'
  const isOurs =
    isEnded ||
    ownParts(type, held, base, role).some((each) => digestOf(run.digest, type, each, addedIn(digest)) === digest)
  if (!isOurs) return { type, id, is: 'changed' }
  return version === undefined || heldVersion === undefined ? 'same' : { type, id, is: 'elsewhere' }
}

/** Fields that pawl may have left to the server or to staff. */
const fillable: Record<StoredType, readonly string[]> = {
  Task: ['owner', 'priority', 'restriction'],
  ClaimResponse: [],
  CoverageEligibilityResponse: [],
  Coverage: ['period'],
  Communication: ['sender', 'recipient', 'category'],
  DocumentReference: ['context', 'category'],
}

/** Possible contents of pawl's own write of a resource: without foreign identifiers, and with and without each fillable field. */
function ownParts(type: StoredType, held: StoredResource, base: string, role: string): Content[] {
  const own: Content = { ...held, identifier: held.identifier?.filter(({ system }) => system?.startsWith(`${base}/`)) }
  // A staff task's status belongs to staff.
  const isStaffTask = role.includes('staff-task/')
  const asOpened = { ...own, status: 'requested', businessStatus: own.reasonCode, statusReason: undefined }
  return fillable[type].reduce<Content[]>(
    (parts, name) =>
      parts.flatMap((part) => (part[name] === undefined ? [part] : [part, { ...part, [name]: undefined }])),
    isStaffTask ? [own, asOpened] : [own],
  )
}
