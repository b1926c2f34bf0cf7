import type { RunContext } from '@pawl/connector/system'
import { EhrWriteFailed, isContentRefused } from '../ehr-write-failed.ts'
import type { ChartClient, PatchOperation } from './chart-client.ts'
import type { StoredResource, WrittenResource } from './stored-resource.ts'
import { carriersOf, createChartFinder, type Sought } from './chart-finder.ts'
import { type DocumentKind, documentsOf, type StoredByType, type StoredType } from './chart-types.ts'
import { markOf, shownDigest } from './content-mark.ts'
import {
  isOfChart,
  lostId,
  type MapResource,
  type Memo,
  noteAbsent,
  noteEnded,
  noteInDoubt,
  noteOf,
  roleOf,
  toMemo,
} from './memo.ts'
import { addedIn, type Content, digestOf, holds, merge, patchOf, type Rest, restOf, toContent } from './owned.ts'
import type { Plans } from './plans.ts'
import { withdrawn } from './held-facts.ts'
import { createStandIn } from './stand-in.ts'
import { findsByIdentifier, forUpdate, type TypePlan } from './strategy.ts'
import { tryWays } from './try-ways.ts'

/** A resource to upsert. */
export interface Target<T extends StoredType> extends Sought {
  type: T
  /** Of a document. */
  kind?: DocumentKind | undefined
}

export interface UpsertOptions<T extends StoredType> {
  /** A patch that ends the resource, if the mapping only ends it. It tests that the resource is still as pawl opened it. No request is sent if the resource is remembered as ended or absent. */
  ends?: readonly PatchOperation[]
  /** An earlier version of the chart's resource on which the mapping may depend. */
  guess?: () => StoredByType[T] | undefined
  /** A person's change to the mapping. A resource that is in sync without it stays so. */
  amend?: (mapped: StoredByType[T]) => StoredByType[T]
}

export interface ChartStoreDeps {
  client: ChartClient
  plans: Plans
  /** Called before each write with the id of its patient. */
  assertPatient: (id: string) => Promise<void>
  run: Pick<RunContext, 'memory' | 'inDoubt' | 'digest' | 'wrote' | 'leftOut' | 'log'>
}

/** Upserts the resource that `map` returns, by a strategy that the chart supports. Resolves with its id; `undefined` without a resource, or if the chart returned none. Throws `EhrWriteFailed`. */
export type UpsertResource = <T extends StoredType>(
  target: Target<T>,
  map: MapResource<T>,
  options?: UpsertOptions<T>,
) => Promise<string | undefined>

/** Types that belong to the patient, not to one PA or BV: remembered once for all of them. */
export const sharedTypes: ReadonlySet<StoredType> = new Set(['Coverage'])

/** Whether a record that staff marked as entered in error stays so. A task they end, and a patient's insurance is what the newest BV found. */
const staysWithdrawn = (type: StoredType) => type !== 'Task' && !sharedTypes.has(type)

/** Makes the store of one run. */
export function createChartStore({ client, plans, assertPatient, run }: ChartStoreDeps): UpsertResource {
  const { memory } = run
  const { find, carrier, isGone } = createChartFinder(client, run)
  const shownOf = (type: StoredType, content: Content) => shownDigest(run.digest, type, content)[0] ?? ''

  return (target, map, options = {}) => {
    const written = target.kind === undefined ? target.type : documentsOf(target.kind)
    return tryWays({ target, written, plans, carrier, run }, (plan, seen) =>
      upsertOnce({ target, plan, map, ...options }, seen),
    )
  }

  /** `seen`: the resource, if a search found it just now. */
  async function upsertOnce<T extends StoredType>(
    asked: Upsert<T>,
    seen: StoredResource | undefined,
  ): Promise<string | undefined> {
    const { target, plan, ends } = asked
    const role = roleOf(target)
    if (sharedTypes.has(target.type)) await memory.share(role)
    const memo = toMemo(await memory.read(role))
    const work = await amended(asked, memo)
    const { map } = work
    const wish = await wishOf(work)
    const unread = seen === undefined ? await upsertUnread(work, memo, wish) : undefined
    if (unread !== undefined) return unread.id
    const isUnread = seen === undefined && canCreateUnread(plan, memo)
    const found = isUnread && wish !== undefined ? await createUnlessFound(target, plan, memo, wish) : undefined
    if (found?.isNew === true) return found.id
    const held = seen ?? found?.held ?? (await find(target, plan, memo))
    // The compiler cannot see that the server's resource conforms to FHIR R4.
    const inChart = held as StoredByType[T] | undefined
    const wanted = inChart === undefined ? wish?.content : contentOf(await map(inChart))
    if (wanted === undefined) {
      if (held === undefined && (findsByIdentifier(plan) || memo?.isLost === false)) memory.note(role, noteAbsent)
      else if (held !== undefined && ends !== undefined) memory.note(role, noteEnded(held.id, held.meta?.versionId))
      return held?.id
    }
    const digest = wish?.digest ?? digestOf(run.digest, target.type, wanted)
    if (held === undefined) return create(target, plan, wanted, { digest, memo })
    const version = held.meta?.versionId
    // Some servers drop unknown fields: the content found after the same write counts as in sync.
    const isLost = memo?.isLost === true
    const isRepeated = (isLost || memo?.id === held.id) && memo?.digest === digest
    // Without versions a change is invisible, so staff's changes stay.
    if (isRepeated && !isLost && (version === undefined || memo.version === version)) return held.id
    const added = addedIn(memo?.digest)
    const isOurs = ends === undefined && (wish === undefined || digestOf(run.digest, target.type, wanted) === digest)
    const rest = (seen: Content): Rest => (isOurs ? restOf(target.type, seen, wanted) : 'unknown')
    // A resource that is only created is not created again for changes that the chart made to it.
    const isSent = isRepeated && plan.strategy === 'create'
    if (isSent || holds(target.type, held, wanted, { isRepeated, added })) {
      const note = noteOf({ id: held.id, version }, { digest, rest: rest(held), shown: shownOf(target.type, wanted) })
      if (isLost) return remember(target, plan, held.id, note)
      memory.note(role, note)
      return held.id
    }
    if (held.status === withdrawn && staysWithdrawn(target.type) && plan.strategy !== 'create') {
      const shown = shownOf(target.type, wanted)
      memory.note(role, noteOf({ id: held.id, version }, { digest, rest: 'others', shown }))
      run.log.info({}, `staff marked the ${target.type} as entered in error: it is left as it is`)
      return held.id
    }
    if (plan.strategy === 'create') {
      const former = toMemo({ id: held.id, version })
      return create(target, plan, wanted, { digest, memo: former })
    }
    await assertPatient(target.patientId)
    const merged = forUpdate(plan, merge(target.type, held, wanted, added))
    memory.note(role, noteInDoubt(held.id))
    let written: WrittenResource
    try {
      written = await client.update(target.type, held.id, held.meta ?? {}, merged)
    } catch (error) {
      // Deleted since it was read.
      if (!(error instanceof EhrWriteFailed && error.isGone) || !(await isGone(target.type, held.id))) throw error
      return create(target, plan, wanted, { digest, memo: undefined })
    }
    if (ends !== undefined) return remember(target, plan, held.id, noteEnded(held.id, written.version))
    const note = noteOf(
      { id: held.id, version: written.version },
      { digest, rest: rest(written.resource ?? merged), shown: shownOf(target.type, wanted) },
    )
    return remember(target, plan, held.id, note)
  }

  /** The call with its mapping amended, unless the resource is in sync without that. */
  async function amended<T extends StoredType>(asked: Upsert<T>, memo: Memo | undefined): Promise<Upsert<T>> {
    const { map, amend, guess: _guess, ...call } = asked
    if (amend === undefined) return asked
    const usual = await wishOf(asked)
    if (usual !== undefined && memo?.isLost === false && memo.digest === usual.digest) return asked
    const mapAmended: MapResource<T> = async (held) => {
      const mapped = await map(held)
      return mapped && amend(mapped)
    }
    return { ...call, map: mapAmended }
  }

  /** The mapping for this earlier resource of the chart, or for none. */
  async function wishOf<T extends StoredType>(
    { target, map }: Upsert<T>,
    held?: StoredByType[T],
  ): Promise<Wish | undefined> {
    const content = contentOf(await map(held))
    return content && { content, digest: digestOf(run.digest, target.type, content) }
  }

  /** Decides by memory alone, and changes a resource only against its remembered version. Undefined if the chart must be read. */
  async function upsertUnread<T extends StoredType>(
    work: Upsert<T>,
    memo: Memo | undefined,
    wish: Wish | undefined,
  ): Promise<{ id: string | undefined } | undefined> {
    const { target, plan, map, ends, guess } = work
    const { type, patientId } = target
    const since = typeof memo?.rest === 'object' ? memo.rest.since : undefined
    const standIn = createStandIn(type, memo?.id ?? target.identifier.value, since)
    // Nothing to write, independent of the chart's content.
    if (wish === undefined && (await map(standIn.resource)) === undefined && !standIn.isRead()) return { id: memo?.id }
    if (memo === undefined || memo.isLost || run.inDoubt === true) return undefined
    if (memo.isAbsent) return wish === undefined ? { id: undefined } : undefined
    if (ends !== undefined && memo.isEnded) return { id: memo.id }
    if (memo.digest !== undefined) {
      if (memo.digest === wish?.digest) return { id: memo.id }
      const guessed = guess?.()
      if (guessed !== undefined && memo.digest === (await wishOf(work, guessed))?.digest) return { id: memo.id }
    }
    const { id, version, rest } = memo
    if (id === undefined || version === undefined || rest === 'unknown' || plan.strategy === 'create') return undefined
    const mapped = ends === undefined ? await map(standIn.resource) : undefined
    if (ends === undefined && (mapped === undefined || standIn.isRead())) return undefined
    if (!plan.canPatch && (since === undefined || ends !== undefined)) return undefined
    const wanted = contentOf(mapped)
    const digest = wanted === undefined ? '' : digestOf(run.digest, type, wanted)
    if (wanted !== undefined && digest === memo.digest) return { id }
    await assertPatient(patientId)
    const role = roleOf(target)
    memory.note(role, noteInDoubt(id))
    const isPatch = wanted === undefined || since === undefined
    let written: WrittenResource
    try {
      written = isPatch
        ? await client.patch(
            type,
            id,
            version,
            wanted === undefined ? (ends ?? []) : patchOf(type, wanted, addedIn(memo.digest)),
          )
        : await client.update(type, id, { versionId: version }, forUpdate(plan, wanted))
    } catch (error) {
      if (!isContentRefused(error)) throw error
      const hasChanged =
        error.isGone || error.httpStatus === 404 || error.httpStatus === 409 || error.httpStatus === 412
      if (isPatch && ends === undefined && !hasChanged) plans.refused(type, 'patch')
      return undefined
    }
    if (wanted === undefined) return { id: await remember(target, plan, id, noteEnded(id, written.version)) }
    const seen = written.resource === undefined ? rest : restOf(type, written.resource, wanted)
    const note = noteOf({ id, version: written.version }, { digest, rest: seen, shown: shownOf(type, wanted) })
    return { id: await remember(target, plan, id, note) }
  }

  /** Creates it if the server finds none with its identifier; otherwise resolves with the one it has. */
  async function createUnlessFound<T extends StoredType>(
    target: Target<T>,
    plan: TypePlan,
    memo: Memo | undefined,
    { content, digest }: Wish,
  ): Promise<{ isNew: true; id: string | undefined } | { isNew: false; held: StoredResource | undefined }> {
    const { type, identifier, patientId } = target
    await assertPatient(patientId)
    // Without an answer, a remembered absence would hide the new resource.
    if (memo?.isAbsent === true) await memory.write(roleOf(target), { id: lostId(undefined, undefined) })
    const written = await client.create(type, content, identifier)
    if (written.isNew !== true) {
      const held = written.id === undefined ? undefined : await client.read(type, written.id)
      return { isNew: false, held: held && carriersOf(target, [held])[0] }
    }
    return { isNew: true, id: await rememberNew(target, plan, content, written, digest) }
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
      if (memo?.isAbsent === true) await memory.write(roleOf(target), { id: lostId(undefined, undefined) })
      const written = await client.conditionalUpdate(type, identifier, wanted)
      return rememberNew(target, plan, wanted, written, digest)
    }
    const before = plan.strategy === 'create' ? memo?.id : undefined
    const isTaken = memo?.isLost === false && !memo.isAbsent && (memo.digest === digest || type !== 'DocumentReference')
    if (plan.strategy === 'create' && isTaken) return memo.id
    await assertPatient(patientId)
    // Recorded before the request: if the answer is lost, the retry searches before it creates again.
    const lost = lostId(markOf(run.digest, type, wanted), before)
    if (plan.strategy !== 'search' || memo?.isAbsent === true) await memory.write(roleOf(target), { id: lost, digest })
    const written = await createAfter(before)
    return rememberNew(target, plan, wanted, { ...written, id: written.id ?? lost }, digest)

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

  /** `id`: the chart's, or the search hint if it returned none. */
  async function rememberNew(
    target: Target<StoredType>,
    plan: TypePlan,
    wanted: Content,
    { id = lostId(undefined, undefined), version, resource }: WrittenResource,
    digest: string,
  ) {
    const rest = resource === undefined ? 'unknown' : restOf(target.type, resource, wanted)
    return remember(target, plan, id, noteOf({ id, version }, { digest, rest, shown: shownOf(target.type, wanted) }))
  }

  async function remember(
    target: Target<StoredType>,
    { strategy }: TypePlan,
    id: string,
    note: ReturnType<typeof noteOf>,
  ) {
    // A conditional update finds it again by the identifier; otherwise store the id at once.
    if (strategy === 'conditional-update') memory.note(roleOf(target), note)
    else await memory.write(roleOf(target), note)
    const told = isOfChart(id) ? id : undefined
    run.wrote({ type: target.type, id: told ?? target.identifier.value, version: note.version })
    return told
  }
}

/** One call of the store. */
interface Upsert<T extends StoredType> extends UpsertOptions<T> {
  target: Target<T>
  plan: TypePlan
  map: MapResource<T>
}

interface Wish {
  content: Content
  digest: string
}

const contentOf = (mapped: object | undefined) => mapped && toContent(mapped)

/** Whether the server finds an existing resource on create, so that no search is needed first. */
function canCreateUnread(plan: TypePlan, memo: Memo | undefined): boolean {
  return plan.findsOnCreate && findsByIdentifier(plan) && memo?.id === undefined
}

function replacing(type: StoredType, id: string) {
  return { code: 'replaces', target: { reference: `${type}/${id}` } }
}
