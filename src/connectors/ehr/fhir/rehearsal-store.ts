import type { RehearsalContext } from '../../../systems/system.ts'
import { roleOf, toMemo, type UpsertResource } from './chart-store.ts'
import type { StoredByType, StoredType } from './chart-types.ts'
import { digestOf, comparedFields, toContent } from './owned.ts'
import type { Plans } from './plans.ts'

/** Id of a resource that would be created. */
const newId = 'new'

/** The store of a rehearsal. It takes the remembered state as the chart's, and reports a difference as a write. A mapping that depends on more than that is reported through `cannotTell`. */
export function createRehearsalStore({
  plans,
  run,
}: {
  plans: Plans
  run: Pick<RehearsalContext, 'memory' | 'digest' | 'wrote' | 'cannotTell' | 'log'>
}): UpsertResource {
  return async function upsert(target, map) {
    const plan = await plans.of(target.type)
    if (plan.strategy === 'skip') return undefined
    const role = roleOf(target)
    const memo = toMemo(await run.memory.read(role))
    const held = memo && createHeld(target.type, memo.id ?? newId)
    const mapped = map(held?.resource)
    if (mapped === undefined) return memo?.id
    const digest = digestOf(run.digest, target.type, toContent(mapped))
    if (memo?.digest === digest) return memo.id
    if (held?.isAsked() === true) {
      run.cannotTell(target.type)
      return memo?.id
    }
    const id = memo?.id ?? newId
    await run.memory.write(role, { id, digest })
    run.wrote({ type: target.type, id })
    return id
  }
}

/** Stands in for the chart's resource, whose content is not remembered; records whether a compared field was read. */
function createHeld<T extends StoredType>(type: T, id: string) {
  let isAsked = false
  const said = new Set<PropertyKey>(comparedFields(type))
  const known: object = { resourceType: type, id }
  const resource = new Proxy(known, {
    get(target, name) {
      isAsked ||= said.has(name)
      return Reflect.get(target, name) as unknown
    },
    ownKeys(target) {
      isAsked = true
      return Reflect.ownKeys(target)
    },
  })
  // The compiler cannot see that `isAsked` reports reads beyond type and id.
  return { resource: resource as StoredByType[T], isAsked: () => isAsked }
}
