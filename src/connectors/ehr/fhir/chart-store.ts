import type { Memory, RunContext } from '../../../systems/system.ts'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { type ChartClient, searchToken, type StoredResource, type WrittenResource } from './chart-client.ts'
import type { StoredByType, StoredType } from './chart-types.ts'
import type { NamedIdentifier } from './mapping/references.ts'
import { type Content, digestOf, holds, merge, toContent } from './owned.ts'
import type { Plans } from './plans.ts'
import type { TypePlan } from './strategy.ts'

type Remembered = NonNullable<Awaited<ReturnType<Memory['read']>>>

/** One resource in the place where pawl finds it again. */
export interface Place<T extends StoredType> {
  type: T
  identifier: NamedIdentifier
  /** The patient's own id in the chart. */
  patientId: string
}

/** What makes of the chart's resource the one that should be there; absent where nothing is to be written. */
export type MapResource<T extends StoredType> = (held: StoredByType[T] | undefined) => StoredByType[T] | undefined

export interface ChartStoreDeps {
  client: ChartClient
  plans: Plans
  run: Pick<RunContext, 'memory' | 'wrote' | 'log' | 'signal'>
}

/** Brings the resource of a place to what `map` makes of it, in the way that the chart takes, and resolves with its id; `undefined` where there is none or the chart does not tell. Throws `EhrWriteFailed`. */
export type UpsertResource = <T extends StoredType>(place: Place<T>, map: MapResource<T>) => Promise<string | undefined>

/** Somebody else was faster so many times. */
const maxConflicts = 4
/** Stands for the id of what was sent, while it is not known whether it arrived, or where the chart tells none. */
const unknownId = '?'

/** Makes the store of one run. */
export function createChartStore({ client, plans, run }: ChartStoreDeps): UpsertResource {
  const { memory } = run

  return async function upsert(place, map) {
    for (;;) {
      const plan = await plans.of(place.type, run.signal)
      if (plan.strategy === 'skip') {
        plans.skipped(place.type, plan, run.log)
        return undefined
      }
      try {
        return await upsertAsPlanned(place, plan, map)
      } catch (error) {
        // Only where there is another way: what fails in every way is a failure like any other.
        if (!(error instanceof EhrWriteFailed) || !contradicts(error, plan)) throw error
        if (!(await plans.contradicted(place.type, plan, run.signal))) throw error
      }
    }
  }

  async function upsertAsPlanned<T extends StoredType>(place: Place<T>, plan: TypePlan, map: MapResource<T>) {
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        return await upsertOnce(place, plan, map)
      } catch (error) {
        const isConflict = error instanceof EhrWriteFailed && (error.status === 409 || error.status === 412)
        if (!isConflict || error.retry === 'never' || conflicts >= maxConflicts) throw error
        // Somebody changed it since it was read: what they wrote is read, kept, and the rest tried again.
      }
    }
  }

  async function upsertOnce<T extends StoredType>(place: Place<T>, plan: TypePlan, map: MapResource<T>) {
    const role = roleOf(place)
    const remembered = await memory.read(role)
    const held = await find(place, plan, remembered)
    // The compiler cannot see that a server which answers for a type with a resource of that type holds to FHIR R4.
    const mapped = map(held as StoredByType[T] | undefined)
    if (mapped === undefined) return held?.id
    const wanted = toContent(mapped)
    const digest = digestOf(place.type, wanted)
    if (held === undefined) return create(place, plan, wanted, { digest, before: remembered })
    const version = held.meta?.versionId
    // Some servers leave out what they do not know: what was written once and not touched since is as good as it gets.
    const isUntouched = remembered?.digest === digest && version !== undefined && remembered.version === version
    if (isUntouched || holds(place.type, held, wanted)) {
      if (remembered?.id !== held.id || remembered.digest !== digest) {
        await memory.write(role, { id: held.id, version, digest })
      }
      return held.id
    }
    const written = await client.update(place.type, held.id, version, merge(place.type, held, wanted))
    return remember(place, { id: held.id, version: written.version }, digest)
  }

  /** By the id that the chart gave, or by pawl's own identifier: a result counts only if it carries it. */
  async function find(
    place: Place<StoredType>,
    { strategy, patientParameter }: TypePlan,
    remembered: Remembered | undefined,
  ): Promise<StoredResource | undefined> {
    const isKnown = remembered !== undefined && remembered.id !== unknownId
    if (isKnown && strategy !== 'create') {
      const held = await client.read(place.type, remembered.id)
      if (held !== undefined) return held
    }
    if (strategy === 'conditional-update' || strategy === 'search') {
      return carrying(place, await client.search(place.type, { identifier: searchToken(place.identifier) }))
    }
    // A create whose answer was lost: the patient's resources tell whether it arrived.
    const isLost = remembered !== undefined && !isKnown
    if (!isLost || patientParameter === undefined) return undefined
    return carrying(place, await client.search(place.type, { [patientParameter]: place.patientId }))
  }

  async function create(
    place: Place<StoredType>,
    plan: TypePlan,
    wanted: Content,
    { digest, before }: { digest: string; before: Remembered | undefined },
  ): Promise<string | undefined> {
    const { type, identifier } = place
    if (plan.strategy === 'conditional-update') {
      return remember(place, await client.conditionalUpdate(type, identifier, wanted), digest)
    }
    const supersedes = plan.strategy === 'create' && before !== undefined && before.id !== unknownId
    if (supersedes && (before.digest === digest || type !== 'DocumentReference')) return before.id
    // Noted before it is sent: if the answer is lost, it is looked for before it is created again.
    if (plan.strategy !== 'search') await memory.write(roleOf(place), { id: unknownId, digest })
    const resource = supersedes ? { ...wanted, relatesTo: [replacing(type, before.id)] } : wanted
    const written = await client.create(
      type,
      resource,
      plan.hasConditionalCreate && !supersedes ? identifier : undefined,
    )
    return remember(place, written, digest)
  }

  async function remember(place: Place<StoredType>, { id, version }: WrittenResource, digest: string) {
    await memory.write(roleOf(place), { id: id ?? unknownId, version, digest })
    run.wrote({ type: place.type, id: id ?? place.identifier.value, version })
    return id
  }
}

/** What is remembered is per resource of the service already. */
function roleOf({ type, identifier }: Place<StoredType>): string {
  return `${type} ${identifier.system.split('/').at(-1) ?? ''}/${identifier.value}`
}

function carrying({ type, identifier }: Place<StoredType>, found: readonly StoredResource[]) {
  const isIt = (each: NonNullable<StoredResource['identifier']>[number]) =>
    each.system === identifier.system && each.value === identifier.value
  return found.find((each) => each.resourceType === type && each.identifier?.some(isIt))
}

function replacing(type: StoredType, id: string) {
  return { code: 'replaces', target: { reference: `${type}/${id}` } }
}

/** Answers to a search have no content that could be at fault; of a write, only these are about the way and not about the content. */
function contradicts({ status, isSearch }: EhrWriteFailed, { strategy }: TypePlan): boolean {
  if (status === 405 || status === 501) return strategy !== 'create'
  return status === 400 && isSearch
}
