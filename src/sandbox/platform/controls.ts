import { Router } from 'express'
import { z } from 'zod'
import { success } from './answer.ts'
import {
  answeringFaults,
  type Chaos,
  type ChaosDial,
  type ChaosPreset,
  type ChaosSettings,
  presetNames,
  sendingFaults,
} from './chaos-settings.ts'
import type { SandboxClock } from './clock.ts'
import { readControl } from './read-control.ts'
import { validationRefusal } from './refusal.ts'
import type { Schedule } from './schedule.ts'
import { fromWire } from './wire.ts'

/** Sandbox time, and how fast it runs. */
export interface ClockReading {
  /** ISO 8601. */
  now: string
  speed: number
  /** When the next transition is due; null when nothing is scheduled. */
  next: string | null
}

/** What a control changes about time; what is not named stays. */
export interface ClockChange {
  speed?: number
  /** Sandbox time to leap to, ISO 8601; one that has passed already changes nothing, as time never goes back. */
  now?: string
  advanceMs?: number
}

/** A scheduled transition that was run. */
export interface Step<Event> {
  /** The resource's id. */
  id: string
  /** The table that it moved in, as `prescription_transfer`. */
  machine: string
  /** The state that it entered. */
  state: string
  events: Event[]
}

/** Controls over time and chaos. */
export interface PlatformControls<Event> {
  /** Moves sandbox time to the next scheduled transition and runs it; undefined when nothing is scheduled. */
  step(): Step<Event> | undefined
  readClock(): ClockReading
  /** Sets the speed, then leaps to `now`, then advances sandbox time by `advanceMs`, and runs everything that falls due on the way; how many transitions that were. */
  setClock(change: ClockChange): ClockReading & { transitions: number }
  /** Replaces all chances: faults that are not named never happen. */
  setChaos(settings: ChaosSettings | ChaosPreset): Chaos
  /** Changes the chances that are named. */
  patchChaos(settings: ChaosSettings): Chaos
  readChaos(): Chaos
}

/** Creates the controls over time and chaos. */
export function platformControls<Event>(deps: {
  chaos: ChaosDial
  clock: SandboxClock
  schedule: Schedule
  recordEvents: <T>(act: () => T) => { result: T; events: Event[] }
}): PlatformControls<Event> {
  const { chaos, clock, schedule, recordEvents } = deps

  function readClock(): ClockReading {
    const next = schedule.next()
    return { now: clock.iso(), speed: clock.speed(), next: next === undefined ? null : new Date(next).toISOString() }
  }

  return {
    step: () => {
      const { result, events } = recordEvents(schedule.step)
      if (result === undefined) return undefined
      // A key is machine/id.
      const [machine = '', id = ''] = result.key.split('/')
      return { id, machine, state: result.state ?? '', events }
    },
    readClock,
    setClock: ({ speed, now, advanceMs = 0 }) => {
      const leapMs = Math.max(0, now === undefined ? 0 : Date.parse(now) - clock.now())
      if (leapMs + advanceMs > maxAdvanceMs) throw tooFar(now === undefined ? 'advance_ms' : 'now')
      if (speed !== undefined) clock.setSpeed(speed)
      const transitions = schedule.advance(leapMs) + schedule.advance(advanceMs)
      return { ...readClock(), transitions }
    },
    setChaos: chaos.set,
    patchChaos: ({ sending, answering }) => {
      const chances = chaos.read()
      return chaos.set({
        sending: { ...chances.sending, ...sending },
        answering: { ...chances.answering, ...answering },
      })
    },
    readChaos: chaos.read,
  }
}

const chance = z.number().min(0).max(1)

const ChancesRequest = z.strictObject({
  sending: z.partialRecord(z.enum(sendingFaults), chance).optional(),
  answering: z.partialRecord(z.enum(answeringFaults), chance).optional(),
})

const ChaosRequest = z.union([z.strictObject({ preset: z.enum(presetNames) }), ChancesRequest])

/** 30 years: enough for any authorization to expire. */
const maxAdvanceMs = 30 * 365 * 86_400_000

const ClockRequest = z.strictObject({
  speed: z.number().nonnegative().optional(),
  now: z.iso.datetime().optional(),
  advance_ms: z.number().nonnegative().optional(),
  // Read back as it was told, and passed over: it follows from what is scheduled.
  next: z.iso.datetime().nullable().optional(),
})

function tooFar(field: string) {
  return validationRefusal([{ loc: ['body', field], msg: 'must lie within 30 years', type: 'less_than' }])
}

/** Faults are named alike in code and over HTTP. */
function chances({ sending, answering }: z.infer<typeof ChancesRequest>): ChaosSettings {
  return { ...(sending && { sending }), ...(answering && { answering }) }
}

/** The same over HTTP, with the seed beside them. */
export function platformControlRoutes({
  controls,
  seed,
}: {
  controls: PlatformControls<unknown>
  seed: number
}): Router {
  const router = Router()

  router.get('/chaos', (_req, res) => {
    res.json(success(controls.readChaos()))
  })

  router.put('/chaos', (req, res) => {
    const given = readControl(ChaosRequest, req.body ?? {})
    res.json(success(controls.setChaos('preset' in given ? given.preset : chances(given))))
  })

  router.patch('/chaos', (req, res) => {
    res.json(success(controls.patchChaos(chances(readControl(ChancesRequest, req.body)))))
  })

  router.get('/clock', (_req, res) => {
    res.json(success(controls.readClock()))
  })

  for (const method of ['put', 'patch'] as const)
    router[method]('/clock', (req, res) => {
      const { next: _told, ...change } = fromWire(readControl(ClockRequest, req.body))
      res.json(success(controls.setClock(change)))
    })

  router.get('/seed', (_req, res) => {
    res.json(success({ seed }))
  })

  router.post('/step', (_req, res) => {
    res.json(success(controls.step() ?? { id: null }))
  })

  return router
}
