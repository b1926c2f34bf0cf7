import { Router } from 'express'
import type { z } from 'zod'
import type { PauseTarget } from '@pawl/ledger/hot/pause'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'
import { contract } from './contract/contract.ts'
import { allWork, isPaused, isSameTarget, type Pausing } from './pausing.ts'
import { refusal, serve } from './serve.ts'

export interface PauseRoutesDeps {
  ledger: Pick<Pauses, 'pauses'>
  pausing: Pausing
}

/** Routes that pause work of a handler, with a system, or all of it, and resume it. */
export function createPauseRoutes({ ledger, pausing }: PauseRoutesDeps): Router {
  /** The target that a request names. Throws `RequestRefused`. */
  function find(asked: z.infer<typeof contract.pause.body>, targets: readonly PauseTarget[]): PauseTarget {
    if ('all' in asked) return allWork
    const [first, second] = targets.filter(
      ({ kind, name }) => name === asked.name && (asked.kind === undefined || kind === asked.kind),
    )
    if (second !== undefined) throw refusal('unknown_name', 'A handler and a system have this name: send kind, too.')
    if (first !== undefined) return first
    const known = [...new Set(targets.map(({ name }) => name))].join(', ')
    throw refusal('unknown_name', `No handler and no system has this name: name one of ${known}.`)
  }

  const router = Router()
  serve(router, contract.pause, async ({ body, actor }) => {
    await pausing.pause(find(body, pausing.targets), { actor, reason: body.reason })
    return { paused: await ledger.pauses() }
  })
  serve(router, contract.resume, async ({ body, actor }) => {
    const paused = await ledger.pauses()
    // A paused handler or system may have been removed since.
    const removed = paused.filter(
      (pause) => pause.kind !== 'all' && !pausing.targets.some((target) => isSameTarget(target, pause)),
    )
    const target = find(body, [...pausing.targets, ...removed])
    if (!isPaused(paused, target)) throw refusal('not_paused', 'It is not paused.')
    return { resources: await pausing.resume(target, { actor }), paused: await ledger.pauses() }
  })
  return router
}
