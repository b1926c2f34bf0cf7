import type { RehearsalContext } from '../../../systems/system.ts'
import type { UpsertResource } from './chart-store.ts'
import { isKnownWish, roleOf, toMemo } from './memo.ts'
import { digestOf, toContent } from './owned.ts'
import type { Plans } from './plans.ts'
import { createStandIn } from './stand-in.ts'

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
  return async function upsert(target, map, { ends, guess } = {}) {
    const plan = await plans.of(target.type)
    if (plan.strategy === 'skip') return undefined
    const role = roleOf(target)
    const memo = toMemo(await run.memory.read(role))
    if (
      memo !== undefined &&
      (ends === undefined ? isKnownWish(run.digest, target.type, memo, map, guess) : memo.isEnded)
    )
      return memo.id
    const standIn = memo === undefined || memo.isAbsent ? undefined : createStandIn(target.type, memo.id ?? newId)
    const mapped = map(standIn?.resource)
    if (mapped === undefined) return memo?.id
    if (standIn?.isAsked() === true) {
      run.cannotTell(target.type)
      return memo?.id
    }
    const digest = digestOf(run.digest, target.type, toContent(map(undefined) ?? mapped))
    if (memo?.digest === digest) return memo.id
    const id = memo?.id ?? newId
    await run.memory.write(role, { id, digest })
    run.wrote({ type: target.type, id })
    return id
  }
}
