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

/** A resource to upsert: its type, identifier and patient, by which pawl finds it again. */
export interface Target<T extends StoredType> {
  type: T
  identifier: NamedIdentifier
  /** The patient's own id in the chart. */
  patientId: string
}

/** Maps the chart's current resource to the wanted one; undefined to write nothing. */
export type MapResource<T extends StoredType> = (held: StoredByType[T] | undefined) => StoredByType[T] | undefined

export interface ChartStoreDeps {
  client: ChartClient
  plans: Plans
  /** Called before each write with the id of its patient. */
  assertPatient: (id: string) => Promise<void>
  run: Pick<RunContext, 'memory' | 'digest' | 'wrote' | 'leftOut' | 'log'>
}

/** Upserts the resource that `map` returns, in the way that the chart takes. Resolves with its id; `undefined` if there is none or the chart does not tell. Throws `EhrWriteFailed`. */
export type UpsertResource = <T extends StoredType>(
  target: Target<T>,
  map: MapResource<T>,
) => Promise<string | undefined>

/** Attempts when other writers keep changing the resource first. */
const maxConflicts = 4
/** Marks a remembered id as unknown, since the answer to a create was lost or held no id: `?<content mark>?<id of the earlier version>`, each part possibly empty. */
const unknown = '?'

/** Types that belong to the patient, not to one PA or BV: remembered once for all of them. */
const sharedTypes: ReadonlySet<StoredType> = new Set(['Coverage'])

/** The remembered state of a target. */
export interface Memo {
  /** The chart's id; if the last one was lost, that of the earlier version. */
  id: string | undefined
  isLost: boolean
  /** Content mark of a lost create, if its content is unique. */
  mark: string | undefined
  version: string | undefined
  digest: string | undefined
}

/** Reads a note that `remember` wrote. */
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

  return async function upsert(target, map) {
    for (;;) {
      const plan = await plans.of(target.type)
      if (plan.strategy === 'skip') {
        plans.skipped(target.type, plan, run)
        return undefined
      }
      try {
        return await upsertAsPlanned(target, plan, map)
      } catch (error) {
        // Only where another strategy remains; otherwise it is a failure like any other.
        if (!(error instanceof EhrWriteFailed) || plan.strategy === 'create') throw error
        const isCertain = error.status === 405 || error.status === 501
        // A search has no content at fault, but its identifier may be.
        if (!isCertain && !(error.status === 400 && error.isSearch)) throw error
        if (!(await plans.contradicted(target.type, plan, { isCertain }))) throw error
      }
    }
  }

  async function upsertAsPlanned<T extends StoredType>(target: Target<T>, plan: TypePlan, map: MapResource<T>) {
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        return await upsertOnce(target, plan, map)
      } catch (error) {
        const isConflict = error instanceof EhrWriteFailed && (error.status === 409 || error.status === 412)
        if (!isConflict || error.retry === 'never' || conflicts >= maxConflicts) throw error
        // Changed since it was read: read it again, keep the other changes, and retry.
      }
    }
  }

  async function upsertOnce<T extends StoredType>(target: Target<T>, plan: TypePlan, map: MapResource<T>) {
    const role = roleOf(target)
    if (sharedTypes.has(target.type)) await memory.share(role)
    const memo = toMemo(await memory.read(role))
    const held = await find(target, plan, memo)
    // The compiler cannot see that a server which answers for a type with a resource of that type holds to FHIR R4.
    const mapped = map(held as StoredByType[T] | undefined)
    if (mapped === undefined) return held?.id
    const wanted = toContent(mapped)
    const digest = digestOf(run.digest, target.type, wanted)
    if (held === undefined) return create(target, plan, wanted, { digest, memo })
    const version = held.meta?.versionId
    const isKnown = memo?.id === held.id && !memo.isLost
    // Some servers drop fields that they do not know: a resource unchanged since the same write counts as in sync.
    const isRepeated = isKnown && memo.digest === digest
    // Without versions a change cannot be seen, and staff's changes are left alone.
    const isUntouched = isRepeated && (version === undefined || memo.version === version)
    if (isUntouched || holds(target.type, held, wanted, isRepeated)) {
      if (!isRepeated) memory.note(role, { id: held.id, version, digest })
      return held.id
    }
    if (plan.strategy === 'create') {
      return create(target, plan, wanted, {
        digest,
        memo: { id: held.id, isLost: false, mark: undefined, version, digest: undefined },
      })
    }
    await assertPatient(target.patientId)
    let written: WrittenResource
    try {
      written = await client.update(target.type, held.id, version, merge(target.type, held, wanted))
    } catch (error) {
      // Deleted since it was read.
      if (!(error instanceof EhrWriteFailed && error.isGone) || !(await isGone(target.type, held.id))) throw error
      return create(target, plan, wanted, { digest, memo: undefined })
    }
    return remember(target, plan, { id: held.id, version: written.version }, digest)
  }

  /** Finds it by the chart's id or by pawl's own identifier: a result counts only if it carries it. */
  async function find(
    target: Target<StoredType>,
    { strategy, patientParameter }: TypePlan,
    memo: Memo | undefined,
  ): Promise<StoredResource | undefined> {
    if (memo?.id !== undefined && strategy !== 'create') {
      const held = await readKnown(target, memo.id, patientParameter)
      if (held !== undefined) return held
    }
    const listPatients = async () =>
      patientParameter === undefined ? [] : client.search(target.type, { [patientParameter]: target.patientId })
    if (strategy === 'conditional-update' || strategy === 'search') {
      const all = await client.search(target.type, { identifier: searchToken(target.identifier) })
      const found = newest(target, all)
      // A server that returns others ignored the identifier: the resource may still exist, from a create whose answer was lost.
      return found === undefined && all.length > 0 ? newest(target, await listPatients()) : found
    }
    // A create whose answer was lost: the patient's resources tell whether it arrived.
    return memo?.isLost === true ? findLost(target, memo, await listPatients()) : undefined
  }

  /** The resource with a remembered id; undefined if it is gone. */
  async function readKnown(
    { type, patientId }: Target<StoredType>,
    id: string,
    patientParameter: TypePlan['patientParameter'],
  ): Promise<StoredResource | undefined> {
    try {
      return await client.read(type, id)
    } catch (error) {
      const isBare = error instanceof EhrWriteFailed && error.status === 404
      if (!isBare || patientParameter === undefined) throw error
      // A bare 404 may come from a proxy; a list from the server without the resource proves that it is gone.
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

  /** Finds a lost create by the identifier, or by its content if the chart keeps no identifier. */
  async function findLost(
    target: Target<StoredType>,
    { id: before, mark }: Memo,
    all: readonly StoredResource[],
  ): Promise<StoredResource | undefined> {
    const found = newest(target, all)
    // The chart keeps identifiers, so the lost create did not arrive.
    if (found !== undefined && found.id === before) return undefined
    if (found !== undefined || mark === undefined) return found
    // A resource with another identifier of pawl's is a different one.
    const base = target.identifier.system.slice(0, target.identifier.system.lastIndexOf('/') + 1)
    const isNamed = ({ identifier }: StoredResource) => identifier?.some(({ system }) => system?.startsWith(base))
    const candidates = all.filter((each) => each.resourceType === target.type && each.id !== before)
    return findByMark(
      { readText: client.readText, digest: run.digest },
      target.type,
      mark,
      candidates.filter((each) => isNamed(each) !== true),
    )
  }

  async function create(
    target: Target<StoredType>,
    plan: TypePlan,
    wanted: Content,
    { digest, memo }: { digest: string; memo: Memo | undefined },
  ): Promise<string | undefined> {
    const { type, identifier, patientId } = target
    if (plan.strategy === 'conditional-update') {
      await assertPatient(patientId)
      return remember(target, plan, await client.conditionalUpdate(type, identifier, wanted), digest)
    }
    const before = plan.strategy === 'create' ? memo?.id : undefined
    const isTaken = memo?.isLost === false && (memo.digest === digest || type !== 'DocumentReference')
    if (plan.strategy === 'create' && isTaken) return memo.id
    await assertPatient(patientId)
    // Recorded before the request: if the answer is lost, the retry searches before it creates again.
    const lost = `${unknown}${markOf(run.digest, type, wanted) ?? ''}${unknown}`
    if (plan.strategy !== 'search') await memory.write(roleOf(target), { id: `${lost}${before ?? ''}`, digest })
    const { id = lost, version } = await createAfter(before)
    return remember(target, plan, { id, version }, digest)

    async function createAfter(before: string | undefined): Promise<WrittenResource> {
      if (before === undefined) return client.create(type, wanted, plan.hasConditionalCreate ? identifier : undefined)
      try {
        return await client.create(type, { ...wanted, relatesTo: [replacing(type, before)] })
      } catch (error) {
        // A deleted document cannot be replaced.
        if (!(error instanceof EhrWriteFailed) || error.retry !== 'never' || !(await isGone(type, before))) throw error
        return createAfter(undefined)
      }
    }
  }

  /** `id`: the chart's, or the search hint if it told none. */
  async function remember(
    target: Target<StoredType>,
    { strategy }: TypePlan,
    { id = unknown, version }: WrittenResource,
    digest: string,
  ) {
    const remembered = { id, version, digest }
    // With conditional updates the identifier finds it again; otherwise the id must be stored at once.
    if (strategy === 'conditional-update') memory.note(roleOf(target), remembered)
    else await memory.write(roleOf(target), remembered)
    const told = id.startsWith(unknown) ? undefined : id
    run.wrote({ type: target.type, id: told ?? target.identifier.value, version })
    return told
  }
}

/** The role under which a target is remembered; memory is already per resource of the service. */
export function roleOf({ type, identifier }: Target<StoredType>): string {
  return `${type} ${identifier.system.split('/').at(-1) ?? ''}/${identifier.value}`
}

/** The newest carrier of the identifier: the one that no other replaces. */
function newest(
  { type, identifier }: Target<StoredType>,
  found: readonly StoredResource[],
): StoredResource | undefined {
  const isIt = (each: NonNullable<StoredResource['identifier']>[number]) =>
    each.system === identifier.system && each.value === identifier.value
  const carrying = found.filter((each) => each.resourceType === type && each.identifier?.some(isIt))
  const replaced = new Set(carrying.flatMap(({ relatesTo }) => Replacing.safeParse(relatesTo).data ?? []))
  return carrying.find(({ id }) => !replaced.has(`${type}/${id}`))
}

/** References to the documents that a document replaces. */
const Replacing = z
  .array(z.looseObject({ code: z.string(), target: z.looseObject({ reference: z.string() }) }))
  .transform((all) => all.filter(({ code }) => code === 'replaces').map(({ target }) => target.reference))

function replacing(type: StoredType, id: string) {
  return { code: 'replaces', target: { reference: `${type}/${id}` } }
}
