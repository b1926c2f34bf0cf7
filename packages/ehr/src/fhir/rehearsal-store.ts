import type { RehearsalContext } from '@pawl/connector/system'
import { documentsOf } from './chart-types.ts'
import type { UpsertResource } from './chart-store.ts'
import { roleOf, toMemo } from './memo.ts'
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
    const plan = await plans.of(target.kind === undefined ? target.type : documentsOf(target.kind))
    if (plan.strategy === 'skip') return undefined
    const role = roleOf(target)
    const memo = toMemo(await run.memory.read(role))
    const digestOfMapped = async (held: Parameters<typeof map>[0]) => {
      const mapped = await map(held)
      return mapped && digestOf(run.digest, target.type, toContent(mapped))
    }
    const wish = await digestOfMapped(undefined)
    if (memo?.isEnded === true && ends !== undefined) return memo.id
    if (memo?.digest !== undefined && !memo.isLost) {
      const guessed = guess?.()
      if (memo.digest === wish || (guessed && memo.digest === (await digestOfMapped(guessed)))) return memo.id
    }
    const standIn = memo === undefined || memo.isAbsent ? undefined : createStandIn(target.type, memo.id ?? newId)
    const mapped = await map(standIn?.resource)
    if (mapped === undefined) return memo?.id
    if (standIn?.isAsked() === true) {
      run.cannotTell(target.type)
      return memo?.id
    }
    const digest = wish ?? digestOf(run.digest, target.type, toContent(mapped))
    if (memo?.digest === digest) return memo.id
    const id = memo?.id ?? newId
    await run.memory.write(role, { id, digest })
    run.wrote({ type: target.type, id })
    return id
  }
}
