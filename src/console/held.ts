import { Router } from 'express'
import { z } from 'zod'
import type { Hold, Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'
import { readActor } from './actor.ts'

export interface HeldDeps {
  ledger: Pick<Ledger, 'holds' | 'hold' | 'liftHold' | 'letThrough'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  /** The systems, the service among them. */
  systemNames: readonly string[]
  /** Has this process look at once what is paused. */
  lookAtHolds: () => Promise<void>
  /** Tells a worker of a resource that is due again. */
  enqueue: (resourceId: string) => void
  log: Log
}

type Name = Pick<Hold, 'kind' | 'name'>

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
export function createHeld({ ledger, handlerNames, systemNames, lookAtHolds, enqueue, log }: HeldDeps): Router {
  const known: Name[] = [
    ...handlerNames.map((name) => ({ kind: 'handler' as const, name })),
    ...systemNames.map((name) => ({ kind: 'system' as const, name })),
  ]

  /** What is meant, or why nothing is. */
  function find(asked: { all: true } | z.infer<typeof One>, names: readonly Name[]): Name | string {
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
    const found = find(asked.data, known)
    if (typeof found === 'string') return void res.status(404).json({ error: { code: 'unknown_name', message: found } })
    await ledger.hold(found, { actor: readActor(req), reason: asked.data.reason })
    await lookAtHolds()
    log.warn(fieldsOf(found), 'paused')
    res.json({ held: await ledger.holds() })
  })
  router.post('/api/resume', async (req, res) => {
    const asked = Resume.safeParse(req.body)
    if (!asked.success) return void res.status(400).json({ error: badRequest })
    const held = await ledger.holds()
    // What was paused may have left the integration since.
    const others = held.filter((hold) => !known.some(({ kind, name }) => hold.kind === kind && hold.name === name))
    const found = find(asked.data, [...known, ...others.filter(({ kind }) => kind !== 'all')])
    if (typeof found === 'string') return void res.status(404).json({ error: { code: 'unknown_name', message: found } })
    if (!held.some(({ kind, name }) => kind === found.kind && name === found.name)) {
      const message = 'It is not paused.'
      return void res.status(409).json({ error: { code: 'not_paused', message } })
    }
    const act = { actor: readActor(req) }
    const { resourceIds, more } =
      asked.data.limit === undefined
        ? { ...(await ledger.liftHold(found, act)), more: false }
        : await ledger.letThrough(found, asked.data.limit, act)
    await lookAtHolds()
    for (const id of resourceIds) enqueue(id)
    log.warn({ ...fieldsOf(found), count: resourceIds.length }, 'resumed')
    res.json({ resources: resourceIds.length, more, held: await ledger.holds() })
  })
  return router
}

function fieldsOf({ kind, name }: Name) {
  return kind === 'all' ? {} : { [kind]: name }
}
