import { z } from 'zod'
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
  run: Pick<RunContext, 'memory' | 'wrote' | 'log'>
}

/** Brings the resource of a place to what `map` makes of it, in the way that the chart takes, and resolves with its id; `undefined` where there is none or the chart does not tell. Throws `EhrWriteFailed`. */
export type UpsertResource = <T extends StoredType>(place: Place<T>, map: MapResource<T>) => Promise<string | undefined>

/** Somebody else was faster so many times. */
const maxConflicts = 4
/** Stands in front of the id of what was there before (which may be none), while it is not known whether what was sent arrived, or where the chart tells no id. */
const unknown = '?'

/** What is remembered of a place. */
export interface Memo {
  /** The id that the chart gave, to the one before where that of the last is not known. */
  id: string | undefined
  isLost: boolean
  version: string | undefined
  digest: string | undefined
}

/** Reads what `remember` wrote. */
export function toMemo(remembered: Remembered | undefined): Memo | undefined {
  if (remembered === undefined) return undefined
  const isLost = remembered.id.startsWith(unknown)
  const id = isLost ? remembered.id.slice(unknown.length) : remembered.id
  return { id: id === '' ? undefined : id, isLost, version: remembered.version, digest: remembered.digest }
}

/** Makes the store of one run. */
export function createChartStore({ client, plans, run }: ChartStoreDeps): UpsertResource {
  const { memory } = run

  return async function upsert(place, map) {
    for (;;) {
      const plan = await plans.of(place.type)
      if (plan.strategy === 'skip') {
        plans.skipped(place.type, plan, run.log)
        return undefined
      }
      try {
        return await upsertAsPlanned(place, plan, map)
      } catch (error) {
        // Only where there is another way: what fails in every way is a failure like any other.
        if (!(error instanceof EhrWriteFailed) || plan.strategy === 'create') throw error
        const isCertain = error.status === 405 || error.status === 501
        // No content can be at fault in a search, but an identifier may.
        if (!isCertain && !(error.status === 400 && error.isSearch)) throw error
        if (!(await plans.contradicted(place.type, plan, { isCertain }))) throw error
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
    const memo = toMemo(await memory.read(role))
    const held = await find(place, plan, memo)
    // The compiler cannot see that a server which answers for a type with a resource of that type holds to FHIR R4.
    const mapped = map(held as StoredByType[T] | undefined)
    if (mapped === undefined) return held?.id
    const wanted = toContent(mapped)
    const digest = digestOf(place.type, wanted)
    if (held === undefined) return create(place, plan, wanted, { digest, memo })
    const version = held.meta?.versionId
    const isKnown = memo?.id === held.id && !memo.isLost
    // Some servers leave out what they do not know: what was written once and not touched since is as good as it gets.
    const isRepeated = isKnown && memo.digest === digest
    // Without versions nothing shows whether it was touched, and what staff changed is left alone.
    const isUntouched = isRepeated && (version === undefined || memo.version === version)
    if (isUntouched || holds(place.type, held, wanted, isRepeated)) {
      if (!isRepeated) memory.note(role, { id: held.id, version, digest })
      return held.id
    }
    if (plan.strategy === 'create') {
      return create(place, plan, wanted, { digest, memo: { id: held.id, isLost: false, version, digest: undefined } })
    }
    const written = await client.update(place.type, held.id, version, merge(place.type, held, wanted))
    return remember(place, plan, { id: held.id, version: written.version }, digest)
  }

  /** By the id that the chart gave, or by pawl's own identifier: a result counts only if it carries it. */
  async function find(
    place: Place<StoredType>,
    { strategy, patientParameter }: TypePlan,
    memo: Memo | undefined,
  ): Promise<StoredResource | undefined> {
    if (memo?.id !== undefined && strategy !== 'create') {
      const held = await client.read(place.type, memo.id)
      if (held !== undefined) return held
    }
    const ofPatient = async () =>
      patientParameter === undefined
        ? undefined
        : newest(place, await client.search(place.type, { [patientParameter]: place.patientId }))
    if (strategy === 'conditional-update' || strategy === 'search') {
      const all = await client.search(place.type, { identifier: searchToken(place.identifier) })
      const found = newest(place, all)
      // Whoever answers with others did not look for it: it may be there, created by a run that was never told so.
      return found === undefined && all.length > 0 ? ofPatient() : found
    }
    // A create whose answer was lost: the patient's resources tell whether it arrived.
    const found = memo?.isLost === true ? await ofPatient() : undefined
    return found?.id === memo?.id ? undefined : found
  }

  async function create(
    place: Place<StoredType>,
    plan: TypePlan,
    wanted: Content,
    { digest, memo }: { digest: string; memo: Memo | undefined },
  ): Promise<string | undefined> {
    const { type, identifier } = place
    if (plan.strategy === 'conditional-update') {
      return remember(place, plan, await client.conditionalUpdate(type, identifier, wanted), digest)
    }
    const before = plan.strategy === 'create' ? memo?.id : undefined
    const isTaken = memo?.isLost === false && (memo.digest === digest || type !== 'DocumentReference')
    if (plan.strategy === 'create' && isTaken) return memo.id
    // Noted before it is sent: if the answer is lost, it is looked for before it is created again.
    if (plan.strategy !== 'search') await memory.write(roleOf(place), { id: `${unknown}${before ?? ''}`, digest })
    const resource = before === undefined ? wanted : { ...wanted, relatesTo: [replacing(type, before)] }
    const ifNoneExist = plan.hasConditionalCreate && before === undefined ? identifier : undefined
    return remember(place, plan, await client.create(type, resource, ifNoneExist), digest)
  }

  async function remember(
    place: Place<StoredType>,
    { strategy }: TypePlan,
    { id, version }: WrittenResource,
    digest: string,
  ) {
    const remembered = { id: id ?? unknown, version, digest }
    // A chart that knows pawl's identifiers in every write can be asked for it; of another, nothing that it said may be lost.
    if (strategy === 'conditional-update') memory.note(roleOf(place), remembered)
    else await memory.write(roleOf(place), remembered)
    run.wrote({ type: place.type, id: id ?? place.identifier.value, version })
    return id
  }
}

/** Under which a place is remembered, which is per resource of the service already. */
export function roleOf({ type, identifier }: Place<StoredType>): string {
  return `${type} ${identifier.system.split('/').at(-1) ?? ''}/${identifier.value}`
}

/** Of those that carry the identifier, the one that no other replaces. */
function newest({ type, identifier }: Place<StoredType>, found: readonly StoredResource[]): StoredResource | undefined {
  const isIt = (each: NonNullable<StoredResource['identifier']>[number]) =>
    each.system === identifier.system && each.value === identifier.value
  const carrying = found.filter((each) => each.resourceType === type && each.identifier?.some(isIt))
  const replaced = new Set(carrying.flatMap(({ relatesTo }) => Replacing.safeParse(relatesTo).data ?? []))
  return carrying.find(({ id }) => !replaced.has(`${type}/${id}`))
}

/** The references of what a document replaces. */
const Replacing = z
  .array(z.looseObject({ code: z.string(), target: z.looseObject({ reference: z.string() }) }))
  .transform((all) => all.filter(({ code }) => code === 'replaces').map(({ target }) => target.reference))

function replacing(type: StoredType, id: string) {
  return { code: 'replaces', target: { reference: `${type}/${id}` } }
}
