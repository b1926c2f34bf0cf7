import { Router } from 'express'
import { z } from 'zod'
import { readActor } from './actor.ts'
import { type Holding, type HoldName, isSameHold } from './holding.ts'
import type { HoldBook } from '../ledger/hot/create-hold-book.ts'

export interface HeldDeps {
  ledger: Pick<HoldBook, 'holds'>
  holding: Holding
}

const All = z.strictObject({ all: z.literal(true) })
const One = z.strictObject({ name: z.string().min(1), kind: z.enum(['handler', 'system']).optional() })
const reason = z.string().max(200).optional()
const limit = z.number().int().min(1).max(100_000).optional()
const Pause = z.union([All.extend({ reason }), One.extend({ reason })])
const Resume = z.union([All.extend({ limit }), One.extend({ limit })])

const badRequest = {
  code: 'bad_request',
  message:
    'Send a JSON object with name and perhaps kind (handler, system), or with all: true; to pause perhaps with reason, to resume perhaps with limit.',
}

/** POST /api/pause and /api/resume: hold work up, of a handler, with a system, or all of it, and let it go on, all at once or a number of resources. */
export function createHeld({ ledger, holding }: HeldDeps): Router {
  /** What is meant, or why nothing is. */
  function find(asked: { all: true } | z.infer<typeof One>, names: readonly HoldName[]): HoldName | string {
    if ('all' in asked) return { kind: 'all', name: '' }
    const [first, second] = names.filter(
      ({ kind, name }) => name === asked.name && (asked.kind === undefined || kind === asked.kind),
    )
    if (second !== undefined) return 'A handler and a system have this name: send kind, too.'
    return (
      first ??
      `No handler and no system has this name: name one of ${[...new Set(names.map(({ name }) => name))].join(', ')}.`
    )
  }

  const router = Router()
  router.post('/api/pause', async (req, res) => {
    const asked = Pause.safeParse(req.body)
    if (!asked.success) return void res.status(400).json({ error: badRequest })
    const found = find(asked.data, holding.names)
    if (typeof found === 'string') return void res.status(404).json({ error: { code: 'unknown_name', message: found } })
    await holding.pause(found, { actor: readActor(req), reason: asked.data.reason })
    res.json({ held: await ledger.holds() })
  })
  router.post('/api/resume', async (req, res) => {
    const asked = Resume.safeParse(req.body)
    if (!asked.success) return void res.status(400).json({ error: badRequest })
    const held = await ledger.holds()
    // What was paused may have left the integration since.
    const others = held.filter((hold) => !holding.names.some((name) => isSameHold(name, hold)))
    const found = find(asked.data, [...holding.names, ...others.filter(({ kind }) => kind !== 'all')])
    if (typeof found === 'string') return void res.status(404).json({ error: { code: 'unknown_name', message: found } })
    if (!held.some((hold) => isSameHold(hold, found))) {
      const message = 'It is not paused.'
      return void res.status(409).json({ error: { code: 'not_paused', message } })
    }
    const { resourceIds, more } = await holding.resume(found, asked.data.limit, { actor: readActor(req) })
    res.json({ resources: resourceIds.length, more, held: await ledger.holds() })
  })
  return router
}
