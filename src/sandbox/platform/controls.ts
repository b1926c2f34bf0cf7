import { Router } from 'express'
import { z } from 'zod'
import { compact, success } from './answer.ts'
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
import type { Schedule } from './schedule.ts'
import { validate } from './validate.ts'

/** Sandbox time, and how fast it runs. */
export interface ClockReading {
  /** ISO 8601. */
  now: string
  speed: number
  /** When the next transition is due; null when nothing is scheduled. */
  next: string | null
}

/** Controls over time and chaos. */
export interface PlatformControls {
  /** Moves sandbox time to the next scheduled transition and runs it; the resource's id, or undefined when nothing is scheduled. */
  step(): string | undefined
  readClock(): ClockReading
  /** Sets the speed, then advances sandbox time by `advanceMs` and runs everything that falls due on the way. */
  setClock(change: { speed?: number; advanceMs?: number }): ClockReading
  /** Replaces all chances: faults that are not named never happen. */
  setChaos(settings: ChaosSettings | ChaosPreset): Chaos
  readChaos(): Chaos
}

/** Creates the controls over time and chaos. */
export function platformControls(deps: {
  chaos: ChaosDial
  clock: SandboxClock
  schedule: Schedule
}): PlatformControls {
  const { chaos, clock, schedule } = deps

  function readClock(): ClockReading {
    const next = schedule.next()
    return { now: clock.iso(), speed: clock.speed(), next: next === undefined ? null : new Date(next).toISOString() }
  }

  return {
    // A key is machine/id.
    step: () => schedule.step()?.split('/')[1],
    readClock,
    setClock: ({ speed, advanceMs = 0 }) => {
      if (speed !== undefined) clock.setSpeed(speed)
      schedule.advance(advanceMs)
      return readClock()
    },
    setChaos: chaos.set,
    readChaos: chaos.read,
  }
}

const chance = z.number().min(0).max(1)

const ChaosRequest = z.strictObject({
  preset: z.enum(presetNames).optional(),
  sending: z.partialRecord(z.enum(sendingFaults), chance).optional(),
  answering: z.partialRecord(z.enum(answeringFaults), chance).optional(),
})

/** 30 years: enough for any authorization to expire. */
const maxAdvanceMs = 30 * 365 * 86_400_000

const ClockRequest = z.strictObject({
  speed: z.number().nonnegative().optional(),
  advance_ms: z.number().nonnegative().max(maxAdvanceMs).optional(),
})

/** The same over HTTP, with the seed beside them. */
export function platformControlRoutes({ controls, seed }: { controls: PlatformControls; seed: number }): Router {
  const router = Router()

  router.get('/chaos', (_req, res) => {
    res.json(success(controls.readChaos()))
  })

  router.put('/chaos', (req, res) => {
    const { preset, ...settings } = validate(ChaosRequest, req.body ?? {})
    res.json(success(controls.setChaos(preset ?? compact(settings))))
  })

  router.get('/clock', (_req, res) => {
    res.json(success(controls.readClock()))
  })

  router.put('/clock', (req, res) => {
    const { speed, advance_ms } = validate(ClockRequest, req.body)
    res.json(success(controls.setClock(compact({ speed, advanceMs: advance_ms }))))
  })

  router.get('/seed', (_req, res) => {
    res.json(success({ seed }))
  })

  router.post('/step', (_req, res) => {
    res.json(success({ id: controls.step() ?? null }))
  })

  return router
}
