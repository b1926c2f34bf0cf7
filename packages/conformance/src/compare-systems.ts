import type { Services } from '@pawl/testing/services/start-services'
import { priorAuthorizationStatuses } from 'pawl-client/schemas/prior-authorization'
import { allDetailCodes, transferErrorCodes } from 'pawl-client/schemas/outcome'
import { benefitVerificationDifferences } from '@pawl/testing/in-sync/benefit-verification-differences'
import { createDifferences } from '@pawl/testing/in-sync/differences'
import { type Facet, priorAuthorizationDifferences } from '@pawl/testing/in-sync/prior-authorization-differences'
import { chartWritesOf, isOfKind } from './rules/writes.ts'
import { unknownStatus } from './truth-book.ts'
import { callsOf, type World } from './world.ts'

/** Differences between one resource's records and the service. */
export interface Differing {
  id: string
  found: readonly string[]
}

const codes: ReadonlySet<string> = new Set([
  ...priorAuthorizationStatuses,
  ...allDetailCodes,
  ...transferErrorCodes,
  unknownStatus,
  ...'pending completed failed cancelled in_progress error complete queued partial'.split(' '),
  ...'requested accepted in-progress on-hold rejected Approved Approval Denied Pending Other denied'.split(' '),
])

/** Values that a report may show: codes and numbers, never free text. */
function showCode(value: unknown): string {
  if (value === undefined) return 'absent'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && codes.has(value) ? value : 'another value'
}

type Part = Exclude<Facet, 'status'> | 'benefit verifications'

/** The handler of each part. A write of the given type and identifier shows that another handler keeps the part. */
const signs: Record<Part, { handler: string; type?: string; kind?: string }> = {
  state: { handler: 'prior-authorization-to-ehr', type: 'Task', kind: 'prior-authorization' },
  messages: { handler: 'messages-to-ehr', type: 'Communication', kind: 'prior-authorization-message' },
  attachments: { handler: 'messages-to-ehr' },
  'faxes and calls': { handler: 'letters-and-faxes-to-ehr' },
  'staff task': { handler: 'staff-task-for-prior-authorization' },
  'transfer in the chart': { handler: 'prescription-transfer-to-ehr', type: 'Task', kind: 'prescription-transfer' },
  'transfer at the pharmacy': { handler: 'prescription-transfer-to-pharmacy' },
  'benefit verifications': {
    handler: 'benefit-verification-to-ehr',
    type: 'CoverageEligibilityResponse',
    kind: 'benefit-verification',
  },
}

/** Handlers whose records are compared with the service. */
export const comparedHandlers: ReadonlySet<string> = new Set(Object.values(signs).map(({ handler }) => handler))

/** The parts that this integration keeps. */
export function partsOf(world: Pick<World, 'lines' | 'handlers'>): Part[] {
  const writes = chartWritesOf(callsOf(world))
  const isKept = (part: Part) => {
    const { handler, type, kind } = signs[part]
    if (world.handlers.some(({ name }) => name === handler)) return true
    if (part === 'transfer at the pharmacy') return world.lines.pharmacy.calls.length > 0
    return writes.some(({ resource }) => resource?.resourceType === type && isOfKind(resource, kind ?? ''))
  }
  // Object.keys is typed string[].
  return (Object.keys(signs) as Part[]).filter(isKept)
}

/** Compares chart and pharmacy with the service. Skips resources in `unless`, and those that pawl never heard of or was told to sync. */
export async function compareSystems(
  world: Pick<World, 'lines' | 'handlers' | 'truth' | 'sandbox' | 'fhir' | 'pharmacy' | 'patientIds'>,
  unless: ReadonlySet<string>,
  { lookedAt = new Set() }: { lookedAt?: ReadonlySet<string> } = {},
): Promise<Differing[]> {
  const parts = partsOf(world)
  const facets = parts.filter((part) => part !== 'benefit verifications')
  const systems = { fhir: searchingOnce(world.fhir), pharmacy: world.pharmacy }
  // The service sends no webhook about a pending BV.
  const isJudged = ({ id }: { id: string }) =>
    !unless.has(id) &&
    world.truth.hasKnownStatus(id) &&
    (lookedAt.has(id) ||
      world.sandbox.controls.deliveries({ resourceId: id }).some(({ state }) => state === 'delivered'))
  const all: Differing[] = []
  for (const pa of world.truth.priorAuthorizations().filter(isJudged)) {
    const patient = world.patientIds.get(pa.patient?.internal_id ?? '')
    // Other unknown values have no expected form, but the status has.
    const of = world.truth.isUnknown(pa.id) ? facets.flatMap((facet) => (facet === 'state' ? 'status' : [])) : facets
    const options = { of, differences: createDifferences(showCode), patient }
    all.push({ id: pa.id, found: await priorAuthorizationDifferences(systems, pa, options) })
  }
  if (parts.includes('benefit verifications'))
    for (const bv of world.truth.benefitVerifications().filter(isJudged))
      all.push({ id: bv.id, found: await benefitVerificationDifferences(systems, bv, createDifferences(showCode)) })
  return all.filter(({ found }) => found.length > 0)
}

/** Fetches each type once. */
function searchingOnce(fhir: Services['fhir']): Pick<Services['fhir'], 'search'> {
  const found = new Map<string, Promise<unknown>>()
  return {
    search: (type) => {
      const searched = found.get(type) ?? fhir.search(type)
      found.set(type, searched)
      // The map holds each type's own resources.
      return searched as ReturnType<typeof fhir.search<typeof type>>
    },
  }
}
