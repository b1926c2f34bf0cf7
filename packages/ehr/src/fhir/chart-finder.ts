import { z } from 'zod'
import type { RunContext } from '@pawl/connector/system'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import type { ChartClient } from './chart-client.ts'
import { severalAdvice } from './chart-advice.ts'
import { searchToken } from './search-token.ts'
import type { StoredResource } from './stored-resource.ts'
import type { StoredType } from './chart-types.ts'
import { findByMark } from './content-mark.ts'
import type { NamedIdentifier } from './mapping/references.ts'
import type { Memo } from './memo.ts'
import { findsByIdentifier, type TypePlan } from './strategy.ts'

/** A resource to find: its type, pawl's identifier and the patient's own id in the chart. */
export interface Sought {
  type: StoredType
  identifier: NamedIdentifier
  patientId: string
}

/** Finds pawl's own resources in the chart, for one run. All throw `EhrWriteFailed`. */
export interface ChartFinder {
  /** Finds by the chart's id or by pawl's identifier; after an unanswered create also by content. */
  find(this: void, target: Sought, plan: TypePlan, memo: Memo | undefined): Promise<StoredResource | undefined>
  /** Searches for the resource with the identifier after the chart refused a write by it: one or none; undefined if the chart cannot search. Throws the refusal with its remedy if there are several. */
  carrier(this: void, target: Sought, plan: TypePlan, refusal: EhrWriteFailed): Promise<StoredResource[] | undefined>
  /** Whether the chart answers that the resource is absent or deleted. */
  isGone(this: void, type: StoredType, id: string): Promise<boolean>
}

/** Makes the finder of one run. */
export function createChartFinder(client: ChartClient, { digest }: Pick<RunContext, 'digest'>): ChartFinder {
  /** All resources with the identifier, except replaced ones; undefined if the chart cannot search. */
  async function carriers(target: Sought, plan: TypePlan): Promise<StoredResource[] | undefined> {
    if (findsByIdentifier(plan)) {
      const all = await client.search(target.type, { identifier: searchToken(target.identifier) })
      const found = carriersOf(target, all)
      // A server that returns other resources ignored the identifier: the resource may still exist, from a create without an answer.
      if (found.length > 0 || all.length === 0) return found
    }
    const listed = await ofPatient(target, plan)
    return listed && carriersOf(target, listed)
  }

  async function ofPatient({ type, patientId }: Sought, { patientParameter }: TypePlan) {
    return patientParameter === undefined ? undefined : client.search(type, { [patientParameter]: patientId })
  }

  /** The resource with a remembered id; undefined if it is gone. */
  async function readKnown(target: Sought, id: string, plan: TypePlan): Promise<StoredResource | undefined> {
    try {
      return await client.read(target.type, id)
    } catch (error) {
      const isBare = error instanceof EhrWriteFailed && error.httpStatus === 404
      const listed = isBare ? await ofPatient(target, plan) : undefined
      // A bare 404 may come from a proxy; a list without the resource proves that it is gone.
      if (listed === undefined || listed.some((each) => each.id === id)) throw error
      return undefined
    }
  }

  /** Finds a lost create by the identifier, or by its content if the chart keeps no identifier. */
  async function findLost(
    target: Sought,
    { id: before, mark }: Memo,
    all: readonly StoredResource[],
  ): Promise<StoredResource | undefined> {
    const [found] = carriersOf(target, all)
    // The chart keeps identifiers, so the unanswered create did not arrive.
    if (found !== undefined && found.id === before) return undefined
    if (found !== undefined || mark === undefined) return found
    // A resource with another identifier of pawl's is a different one.
    const base = target.identifier.system.slice(0, target.identifier.system.lastIndexOf('/') + 1)
    const isNamed = ({ identifier }: StoredResource) => identifier?.some(({ system }) => system?.startsWith(base))
    const unnamed = all.filter((each) => each.resourceType === target.type && isNamed(each) !== true)
    const candidates = current(target.type, unnamed).filter((each) => each.id !== before)
    return findByMark(
      { readAttachment: client.readAttachment, digest },
      { type: target.type, mark, after: all.find(({ id }) => id === before) },
      candidates,
    )
  }

  return {
    async find(target, plan, memo) {
      if (memo?.id !== undefined && plan.strategy !== 'create') {
        const held = await readKnown(target, memo.id, plan)
        if (held !== undefined) return held
      }
      if (findsByIdentifier(plan)) return (await carriers(target, plan))?.[0]
      // After a create without an answer, the patient's resources show whether it arrived.
      return memo?.isLost === true ? findLost(target, memo, (await ofPatient(target, plan)) ?? []) : undefined
    },
    async carrier(target, plan, { resourceType, resourceId, tried: reason, httpStatus: status, request }) {
      const found = await carriers(target, plan)
      if (found === undefined || found.length < 2) return found
      const facts = { resourceType, resourceId, reason, status, request }
      throw new EhrWriteFailed({ ...facts, retry: 'never', isOutage: false, advice: severalAdvice })
    },
    async isGone(type, id) {
      return client.read(type, id).then(
        (held) => held === undefined,
        () => false,
      )
    },
  }
}

/** The resources of the type with the identifier, except replaced ones. */
export function carriersOf(
  { type, identifier }: Pick<Sought, 'type' | 'identifier'>,
  found: readonly StoredResource[],
): StoredResource[] {
  const isIt = (each: NonNullable<StoredResource['identifier']>[number]) =>
    each.system === identifier.system && each.value === identifier.value
  return current(
    type,
    found.filter((each) => each.resourceType === type && each.identifier?.some(isIt)),
  )
}

/** The resources without those that another one replaces. */
export function current(type: StoredType, all: readonly StoredResource[]): StoredResource[] {
  const replaced = new Set(all.flatMap(({ relatesTo }) => Replacing.safeParse(relatesTo).data ?? []))
  return all.filter(({ id }) => !replaced.has(`${type}/${id}`))
}

/** References to the documents that a document replaces. */
const Replacing = z
  .array(z.looseObject({ code: z.string(), target: z.looseObject({ reference: z.string() }) }))
  .transform((all) => all.filter(({ code }) => code === 'replaces').map(({ target }) => target.reference))
