import { z } from 'zod'
import type { Memory, RunContext } from '../../../systems/system.ts'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { type ChartClient, searchToken, type StoredResource, type WrittenResource } from './chart-client.ts'
import type { StoredByType, StoredType } from './chart-types.ts'
import { findByMark, markOf } from './content-mark.ts'
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
  /** Called before each write with the id of its patient. */
  assertPatient: (id: string) => Promise<void>
  run: Pick<RunContext, 'memory' | 'digest' | 'wrote' | 'leftOut' | 'log'>
}

/** Brings the resource of a place to what `map` makes of it, in the way that the chart takes, and resolves with its id; `undefined` where there is none or the chart does not tell. Throws `EhrWriteFailed`. */
export type UpsertResource = <T extends StoredType>(place: Place<T>, map: MapResource<T>) => Promise<string | undefined>

/** Somebody else was faster so many times. */
const maxConflicts = 4
/** While it is not known whether what was sent arrived: stands before the mark of what was sent (which may be none), and again before the id of what was there before (which may be none). Also where the chart tells no id. */
const unknown = '?'

/** What is the patient's, and not one PA's or BV's: remembered in one place for all of them. */
const sharedTypes: ReadonlySet<StoredType> = new Set(['Coverage'])

/** What is remembered of a place. */
export interface Memo {
  /** The id that the chart gave, to the one before where that of the last is not known. */
  id: string | undefined
  isLost: boolean
  /** Of what was sent, where it is lost and can be told by its content. */
  mark: string | undefined
  version: string | undefined
  digest: string | undefined
}

/** Reads what `remember` wrote. */
export function toMemo(remembered: Remembered | undefined): Memo | undefined {
  if (remembered === undefined) return undefined
  const { id: kept, version, digest } = remembered
  const [first, mark = '', before = ''] = kept.split(unknown)
  const isLost = kept.startsWith(unknown)
  const id = isLost ? before : first
  return { id: id || undefined, isLost, mark: mark || undefined, version, digest }
}

/** Makes the store of one run. */
export function createChartStore({ client, plans, assertPatient, run }: ChartStoreDeps): UpsertResource {
  const { memory } = run

  return async function upsert(place, map) {
    for (;;) {
      const plan = await plans.of(place.type)
      if (plan.strategy === 'skip') {
        plans.skipped(place.type, plan, run)
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
    if (sharedTypes.has(place.type)) await memory.share(role)
    const memo = toMemo(await memory.read(role))
    const held = await find(place, plan, memo)
    // The compiler cannot see that a server which answers for a type with a resource of that type holds to FHIR R4.
    const mapped = map(held as StoredByType[T] | undefined)
    if (mapped === undefined) return held?.id
    const wanted = toContent(mapped)
    const digest = digestOf(run.digest, place.type, wanted)
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
      return create(place, plan, wanted, {
        digest,
        memo: { id: held.id, isLost: false, mark: undefined, version, digest: undefined },
      })
    }
    await assertPatient(place.patientId)
    let written: WrittenResource
    try {
      written = await client.update(place.type, held.id, version, merge(place.type, held, wanted))
    } catch (error) {
      // Somebody deleted it since it was read.
      if (!(error instanceof EhrWriteFailed && error.isGone) || !(await isGone(place.type, held.id))) throw error
      return create(place, plan, wanted, { digest, memo: undefined })
    }
    return remember(place, plan, { id: held.id, version: written.version }, digest)
  }

  /** By the id that the chart gave, or by pawl's own identifier: a result counts only if it carries it. */
  async function find(
    place: Place<StoredType>,
    { strategy, patientParameter }: TypePlan,
    memo: Memo | undefined,
  ): Promise<StoredResource | undefined> {
    if (memo?.id !== undefined && strategy !== 'create') {
      const held = await readKnown(place, memo.id, patientParameter)
      if (held !== undefined) return held
    }
    const listPatients = async () =>
      patientParameter === undefined ? [] : client.search(place.type, { [patientParameter]: place.patientId })
    if (strategy === 'conditional-update' || strategy === 'search') {
      const all = await client.search(place.type, { identifier: searchToken(place.identifier) })
      const found = newest(place, all)
      // Whoever answers with others did not look for it: it may be there, created by a run that was never told so.
      return found === undefined && all.length > 0 ? newest(place, await listPatients()) : found
    }
    // A create whose answer was lost: the patient's resources tell whether it arrived.
    return memo?.isLost === true ? findLost(place, memo, await listPatients()) : undefined
  }

  /** What pawl wrote; absent where it is not there any more. */
  async function readKnown(
    { type, patientId }: Place<StoredType>,
    id: string,
    patientParameter: TypePlan['patientParameter'],
  ): Promise<StoredResource | undefined> {
    try {
      return await client.read(type, id)
    } catch (error) {
      const isBare = error instanceof EhrWriteFailed && error.status === 404
      if (!isBare || patientParameter === undefined) throw error
      // A 404 that is not FHIR's may be of a proxy; a list that the server gives, without it, can only be the chart's.
      const all = await client.search(type, { [patientParameter]: patientId })
      if (all.some((each) => each.id === id)) throw error
      return undefined
    }
  }

  /** Whether the chart says that there is no such resource (any more). */
  async function isGone(type: StoredType, id: string): Promise<boolean> {
    return client.read(type, id).then(
      (held) => held === undefined,
      () => false,
    )
  }

  /** By the identifier, or by what was sent where the chart kept none. */
  async function findLost(
    place: Place<StoredType>,
    { id: before, mark }: Memo,
    all: readonly StoredResource[],
  ): Promise<StoredResource | undefined> {
    const found = newest(place, all)
    // The chart keeps names, and what was sent did not arrive.
    if (found !== undefined && found.id === before) return undefined
    if (found !== undefined || mark === undefined) return found
    // One that bears a name of pawl's is another one.
    const base = place.identifier.system.slice(0, place.identifier.system.lastIndexOf('/') + 1)
    const isNamed = ({ identifier }: StoredResource) => identifier?.some(({ system }) => system?.startsWith(base))
    const candidates = all.filter((each) => each.resourceType === place.type && each.id !== before)
    return findByMark(
      { readText: client.readText, digest: run.digest },
      place.type,
      mark,
      candidates.filter((each) => isNamed(each) !== true),
    )
  }

  async function create(
    place: Place<StoredType>,
    plan: TypePlan,
    wanted: Content,
    { digest, memo }: { digest: string; memo: Memo | undefined },
  ): Promise<string | undefined> {
    const { type, identifier, patientId } = place
    if (plan.strategy === 'conditional-update') {
      await assertPatient(patientId)
      return remember(place, plan, await client.conditionalUpdate(type, identifier, wanted), digest)
    }
    const before = plan.strategy === 'create' ? memo?.id : undefined
    const isTaken = memo?.isLost === false && (memo.digest === digest || type !== 'DocumentReference')
    if (plan.strategy === 'create' && isTaken) return memo.id
    await assertPatient(patientId)
    // Noted before it is sent: if the answer is lost, it is looked for before it is created again.
    const lost = `${unknown}${markOf(run.digest, type, wanted) ?? ''}${unknown}`
    if (plan.strategy !== 'search') await memory.write(roleOf(place), { id: `${lost}${before ?? ''}`, digest })
    const { id = lost, version } = await createAfter(before)
    return remember(place, plan, { id, version }, digest)

    async function createAfter(before: string | undefined): Promise<WrittenResource> {
      if (before === undefined) return client.create(type, wanted, plan.hasConditionalCreate ? identifier : undefined)
      try {
        return await client.create(type, { ...wanted, relatesTo: [replacing(type, before)] })
      } catch (error) {
        // What was deleted cannot be replaced.
        if (!(error instanceof EhrWriteFailed) || error.retry !== 'never' || !(await isGone(type, before))) throw error
        return createAfter(undefined)
      }
    }
  }

  /** `id`: the chart's, or what to look for where it told none. */
  async function remember(
    place: Place<StoredType>,
    { strategy }: TypePlan,
    { id = unknown, version }: WrittenResource,
    digest: string,
  ) {
    const remembered = { id, version, digest }
    // A chart that knows pawl's identifiers in every write can be asked for it; of another, nothing that it said may be lost.
    if (strategy === 'conditional-update') memory.note(roleOf(place), remembered)
    else await memory.write(roleOf(place), remembered)
    const told = id.startsWith(unknown) ? undefined : id
    run.wrote({ type: place.type, id: told ?? place.identifier.value, version })
    return told
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
