import type { Standing } from '@pawl/base/system-notes'
import type { FoundRecord, ReadBack, RunContext } from '@pawl/connector/system'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import type { ChartClient } from './chart-client.ts'
import { current } from './chart-finder.ts'
import { type StoredType, storedTypes } from './chart-types.ts'
import { type Comparable, dateOf, shownDigest, toComparable } from './content-mark.ts'
import { datesOf, isWithdrawn, patientIn, withdrawn } from './held-facts.ts'
import { bareNames, isSameName, type Known, knownOf } from './known-records.ts'
import type { NamedIdentifier } from './mapping/references.ts'
import { namesSubject } from './mapping/subject-line.ts'
import { type Remembered, roleOf } from './memo.ts'
import { alwaysSaid, ownParts } from './own-parts.ts'
import { addedIn, type Content, digestOf } from './owned.ts'
import { patientRole } from './patient-resolver.ts'
import type { Plans } from './plans.ts'
import { searchToken } from './search-token.ts'
import type { StoredResource } from './stored-resource.ts'
import { findsByIdentifier, type TypePlan } from './strategy.ts'

export interface VerifyDeps {
  client: Pick<ChartClient, 'read' | 'search' | 'readAttachment'>
  plans: Pick<Plans, 'of' | 'capabilitiesOf' | 'profile'>
  /** Base of pawl's identifier systems, without a slash at its end. */
  base: string
  run: Pick<RunContext, 'resourceId' | 'kind' | 'digest'>
}

/** A remembered record as the chart holds it. */
interface Seen extends Known {
  record: FoundRecord
  held: StoredResource | undefined
}

/** Reads back what the chart holds of a resource: each remembered record by its id, and others of pawl's by patient and by identifier. Throws `EhrWriteFailed` if another attempt may pass. */
export async function verifyResource(deps: VerifyDeps, memory: ReadonlyMap<string, Remembered>): Promise<ReadBack> {
  const { client, plans, base, run } = deps
  const { resourceId, digest } = run
  const patientId = memory.get(patientRole)?.id
  const known = [...memory].flatMap(([role, remembered]) => knownOf(base, role, remembered))
  const { contentTypes } = (await plans.profile()).DocumentReference
  const compared = new Map<string, Promise<Comparable>>()
  function comparable(held: StoredResource): Promise<Comparable> {
    const key = `${held.resourceType}/${held.id}`
    const known = compared.get(key) ?? toComparable(client, held, contentTypes?.is)
    compared.set(key, known)
    return known
  }

  async function look(each: Known & { memo: { id: string } }): Promise<Seen> {
    const { type, role, memo, name } = each
    const record = { type, id: memo.id, what: whatIs(name), role }
    try {
      const held = await client.read(type, memo.id)
      if (held === undefined) return { ...each, held, record: { ...record, is: 'missing' } }
      return { ...each, held, record: { ...record, is: await standingOf(each, held), ...datesOf(held) } }
    } catch (error) {
      if (!isRefused(error)) throw error
      return { ...each, held: undefined, record: { ...record, is: 'unreadable' } }
    }
  }

  /** How a remembered record stands. Where the chart has no versions, changes of others alone do not show. */
  async function standingOf({ type, role, memo }: Known, held: StoredResource): Promise<Standing> {
    const heldVersion = held.meta?.versionId
    const hasVersions = memo.version !== undefined && heldVersion !== undefined
    if (hasVersions && memo.version === heldVersion) return 'same'
    const isTheirs: Standing = hasVersions ? 'elsewhere' : 'same'
    // Staff withdrew it, which is theirs to do.
    if (held.status === withdrawn) return 'elsewhere'
    if (memo.isEnded) return isTheirs
    const { content, isOtherForm } = await comparable(held)
    const identifier = held.identifier?.filter(isOwn)
    const parts = ownParts(type, { ...content, identifier }, role)
    const added = addedIn(memo.digest)
    if (parts.some((part) => digestOf(digest, type, part, added) === memo.digest)) return isTheirs
    // The chart dropped fields of the mapping: only what every chart keeps can be compared.
    if (memo.shown === undefined || keepsAll(type, held)) return 'changed'
    const isShown = parts.some((part) => shownDigest(digest, type, part).includes(memo.shown ?? ''))
    return isShown || isOtherForm ? isTheirs : 'changed'
  }

  /** Whether the chart kept what each of pawl's resources of the type says. */
  function keepsAll(type: StoredType, held: StoredResource): boolean {
    return isNamed(held) && alwaysSaid[type].every((name) => held[name] !== undefined)
  }

  const isOwn = ({ system }: { system?: string | undefined }) => system?.startsWith(`${base}/`) === true
  const isNamed = ({ identifier = [] }: StoredResource) => identifier.some(isOwn)

  /** All resources of the type that a search finds for the patient and by pawl's names; undefined if the chart cannot be searched for it. */
  async function search(type: StoredType, plan: TypePlan, names: readonly NamedIdentifier[]) {
    const found = new Map<string, StoredResource>()
    const stated = await plans.capabilitiesOf(type)
    const isFoundByName =
      findsByIdentifier(plan) || (stated?.canSearch === true && stated.searchParameters.has('identifier'))
    const searches = isFoundByName ? names.map((name) => ({ identifier: searchToken(name) })) : []
    const { patientParameter } = plan
    const isListed = patientParameter !== undefined && patientId !== undefined
    const all: Record<string, string>[] = isListed ? [{ [patientParameter]: patientId }, ...searches] : searches
    if (all.length === 0) return undefined
    try {
      for (const parameters of all) for (const each of await client.search(type, parameters)) found.set(each.id, each)
    } catch (error) {
      if (!isRefused(error)) throw error
      return undefined
    }
    return [...found.values()]
  }

  /** pawl's live records among those found that its memory does not know. */
  async function superfluous(
    type: StoredType,
    found: readonly StoredResource[],
    seen: readonly Seen[],
  ): Promise<FoundRecord[]> {
    const ofType = known.filter((each) => each.type === type)
    const ids = new Set(ofType.map(({ memo }) => memo.id))
    const unknown = current(type, found).filter((each) => !ids.has(each.id) && !isWithdrawn(each))
    // The answer to its create was lost: the next run finds it.
    const lost = ofType.filter(({ memo }) => memo.isLost)
    const records: FoundRecord[] = []
    // Of several that may be remembered again, the newest is.
    for (const each of unknown.toSorted((one, other) => dateOf(other).localeCompare(dateOf(one)))) {
      const name = isNamed(each) ? ownName(each, ofType) : undefined
      const expected = lost.findIndex((one) => name !== undefined && isSameName(one.name, name))
      if (expected !== -1) lost.splice(expected, 1)
      else {
        const judged = name === undefined ? await recognise(type, each, seen) : judge(each, name, seen)
        const isTaken = records.some(({ role }) => role !== undefined && role === judged?.role)
        if (judged !== undefined)
          records.push({ type, id: each.id, ...judged, ...(isTaken && { role: undefined }), ...datesOf(each) })
      }
    }
    return records
  }

  function ownName({ identifier = [] }: StoredResource, ofType: readonly Known[]): NamedIdentifier | undefined {
    const names = identifier.filter(isOwn).map(({ system = '', value = '' }) => ({ system, value }))
    const isIts = (name: NamedIdentifier) =>
      name.value === resourceId ||
      name.value.startsWith(`${resourceId}/`) ||
      ofType.some((each) => isSameName(each.name, name))
    return names.find(isIts)
  }

  function judge(
    found: StoredResource,
    name: NamedIdentifier,
    seen: readonly Seen[],
  ): Pick<FoundRecord, 'is' | 'what' | 'role'> {
    const what = whatIs(name)
    const twin = seen.find((each) => isSameName(each.name, name) && isLive(each))
    const isOfSame = twin?.held === undefined || patientIn(twin.held) === patientIn(found)
    if (twin !== undefined) return { is: isOfSame ? 'twice' : 'orphaned', what }
    // Nothing stands in its place: it may be remembered again.
    const isOfPatient = patientId === undefined || patientIn(found) === patientId
    const type = storedTypes.find((each) => each === found.resourceType)
    return { is: 'orphaned', what, ...(isOfPatient && type && { role: roleOf({ type, identifier: name }) }) }
  }

  /** Recognises a record without a name: as one that the chart shows like a remembered one, or by the line that names its subject. */
  async function recognise(
    type: StoredType,
    found: StoredResource,
    seen: readonly Seen[],
  ): Promise<Pick<FoundRecord, 'is' | 'what' | 'role'> | undefined> {
    if (isNamed(found) || patientId === undefined || patientIn(found) !== patientId) return undefined
    for (const { held, name, memo } of seen) {
      if (held === undefined || isNamed(held) || isWithdrawn(held) || outlineOf(type, held) !== outlineOf(type, found))
        continue
      const added = addedIn(memo.digest)
      const saidBy = async (each: StoredResource) => digestOf(digest, type, (await comparable(each)).content, added)
      if ((await saidBy(held)) === (await saidBy(found))) return { is: 'twice', what: whatIs(name) }
    }
    const isLost = known.some((each) => each.type === type && each.memo.isLost)
    const isIts =
      type === 'Task' && typeof found.description === 'string' && namesSubject(found.description, resourceId)
    return isIts && !isLost ? { is: 'orphaned', what: 'task' } : undefined
  }

  /** What a record says without its files, which may have to be fetched. */
  function outlineOf(type: StoredType, { content: _content, payload: _payload, ...rest }: Content): string {
    return digestOf(digest, type, rest, [])
  }

  function whatIs({ system, value }: NamedIdentifier): string {
    const kind = system.slice(system.lastIndexOf('/') + 1)
    const key = value.startsWith(`${resourceId}/`) ? value.slice(resourceId.length + 1) : ''
    return /^[\w.:-]{1,80}$/.test(key) ? `${kind} ${key}` : kind
  }

  const records: FoundRecord[] = []
  const unsearched: string[] = []
  for (const type of storedTypes) {
    const ofType = known.filter((each) => each.type === type)
    const plan = await plans.of(type)
    const bare = plan.strategy === 'skip' ? [] : bareNames(base, run, type)
    if (ofType.length + bare.length === 0) continue
    const seen: Seen[] = []
    for (const each of ofType) if (isReadable(each)) seen.push(await look(each))
    records.push(...seen.map(({ record }) => record))
    const names = new Map([...ofType.map(({ name }) => name), ...bare].map((name) => [JSON.stringify(name), name]))
    const found = await search(type, plan, [...names.values()])
    if (found === undefined) unsearched.push(type)
    else records.push(...(await superfluous(type, found, seen)))
  }
  return { records, unsearched }
}

function isRefused(error: unknown): boolean {
  return error instanceof EhrWriteFailed && error.retry === 'never'
}

function isReadable(each: Known): each is Known & { memo: { id: string } } {
  return each.memo.id !== undefined && !each.memo.isLost
}

/** Whether it stands in the chart, as far as the chart shows. */
function isLive({ record, held }: Seen): boolean {
  return record.is !== 'missing' && (held === undefined || !isWithdrawn(held))
}
