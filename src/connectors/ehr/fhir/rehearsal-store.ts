import type { RehearsalContext } from '../../../systems/system.ts'
import { roleOf, toMemo, type UpsertResource } from './chart-store.ts'
import type { StoredByType, StoredType } from './chart-types.ts'
import { digestOf, fieldsSaid, toContent } from './owned.ts'
import type { Plans } from './plans.ts'

/** The id of what would be created. */
const newId = 'new'

/** The store of a rehearsal: what was remembered of a place is what the chart holds there, and what differs from it would be written. What depends on more than pawl remembers, it cannot tell. */
export function createRehearsalStore({
  plans,
  run,
}: {
  plans: Plans
  run: Pick<RehearsalContext, 'memory' | 'digest' | 'wrote' | 'cannotTell' | 'log'>
}): UpsertResource {
  return async function upsert(place, map) {
    const plan = await plans.of(place.type)
    if (plan.strategy === 'skip') return undefined
    const role = roleOf(place)
    const memo = toMemo(await run.memory.read(role))
    const held = memo && createHeld(place.type, memo.id ?? newId)
    const mapped = map(held?.resource)
    if (mapped === undefined) return memo?.id
    const digest = digestOf(run.digest, place.type, toContent(mapped))
    if (memo?.digest === digest) return memo.id
    if (held?.isAsked() === true) {
      run.cannotTell(place.type)
      return memo?.id
    }
    const id = memo?.id ?? newId
    await run.memory.write(role, { id, digest })
    run.wrote({ type: place.type, id })
    return id
  }
}

/** What stands in for the chart's resource, whose content nobody remembers; tells whether it was asked for what tells mappings apart. */
function createHeld<T extends StoredType>(type: T, id: string) {
  let isAsked = false
  const said = new Set<PropertyKey>(fieldsSaid(type))
  const known: object = { resourceType: type, id }
  const resource = new Proxy(known, {
    get(target, name) {
      isAsked ||= said.has(name)
      // What is not known is absent.
      return Reflect.get(target, name) as unknown
    },
    ownKeys(target) {
      isAsked = true
      return Reflect.ownKeys(target)
    },
  })
  // The compiler cannot see that whoever asks for more than type and id is told on.
  return { resource: resource as StoredByType[T], isAsked: () => isAsked }
}
