import { Router } from 'express'
import type { z } from 'zod'
import { type Holding, isHeld, isSameHold } from './holding.ts'
import type { HoldName } from '@pawl/ledger/hot/holds'
import type { HoldBook } from '@pawl/ledger/upkeep/create-hold-book'
import { contract } from './contract/contract.ts'
import { refusal, serve } from './serve.ts'

export interface HeldDeps {
  ledger: Pick<HoldBook, 'holds'>
  holding: Holding
}

/** Routes that pause work of a handler, with a system, or all of it, and resume all of it or a number of resources. */
export function createHeld({ ledger, holding }: HeldDeps): Router {
  /** The hold that a request names. Throws `RequestRefused`. */
  function find(asked: z.infer<typeof contract.pause.body>, names: readonly HoldName[]): HoldName {
    if ('all' in asked) return { kind: 'all', name: '' }
    const [first, second] = names.filter(
      ({ kind, name }) => name === asked.name && (asked.kind === undefined || kind === asked.kind),
    )
    if (second !== undefined) throw refusal('unknown_name', 'A handler and a system have this name: send kind, too.')
    if (first !== undefined) return first
    const known = [...new Set(names.map(({ name }) => name))].join(', ')
    throw refusal('unknown_name', `No handler and no system has this name: name one of ${known}.`)
  }

  const router = Router()
  serve(router, contract.pause, async ({ body, actor }) => {
    await holding.pause(find(body, holding.names), { actor, reason: body.reason })
    return { held: await ledger.holds() }
  })
  serve(router, contract.resume, async ({ body, actor }) => {
    const held = await ledger.holds()
    // A paused handler or system may have been removed since.
    const others = held.filter((hold) => !holding.names.some((name) => isSameHold(name, hold)))
    const found = find(body, [...holding.names, ...others.filter(({ kind }) => kind !== 'all')])
    if (!isHeld(held, found)) throw refusal('not_paused', 'It is not paused.')
    const { resourceIds, more } = await holding.resume(found, body.limit, { actor })
    return { resources: resourceIds.length, more, held: await ledger.holds() }
  })
  return router
}
