import { z } from 'zod'
import { type Chaos, type ChaosDial, type ChaosPreset, ChaosSettings, presetNames } from './chaos-settings.ts'
import type { SandboxClock } from './sandbox-clock.ts'
import { control, type Control } from './control.ts'
import { validationRefusal } from './refusal.ts'
import type { Schedule } from './schedule.ts'
import { fromWire } from './wire.ts'

/** Sandbox time and its speed. */
export interface ClockReading {
  /** ISO 8601. */
  now: string
  speed: number
  /** Due time of the next transition; null without one. */
  next: string | null
}

/** Changes to sandbox time; omitted fields stay. */
export interface ClockChange {
  speed?: number
  /** Sandbox time to advance to, ISO 8601. A past time is ignored: time never goes back. */
  now?: string
  advanceMs?: number
}

/** A transition that has run. */
export interface Step<Event> {
  /** The resource's id. */
  id: string
  /** Name of the table, such as `prescription_transfer`. */
  machine: string
  /** The entered state. */
  state: string
  events: Event[]
}

/** Controls over time and chaos. */
export interface PlatformControls<Event> {
  /** Advances to the next scheduled transition and runs it; undefined without one. */
  step(): Step<Event> | undefined
  readClock(): ClockReading
  /** Sets the speed, advances to `now`, then by `advanceMs`, and runs all transitions due on the way; returns their number. */
  setClock(change: ClockChange): ClockReading & { transitions: number }
  /** Replaces all chances; omitted faults never happen. */
  setChaos(settings: ChaosSettings | ChaosPreset): Chaos
  /** Changes the given chances. */
  patchChaos(settings: ChaosSettings): Chaos
  readChaos(): Chaos
}

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

const ChaosRequest = z.union([z.strictObject({ preset: z.enum(presetNames) }), ChaosSettings])

/** 30 years: enough for any authorization to expire. */
const maxAdvanceMs = 30 * 365 * 86_400_000

const ClockRequest = z.strictObject({
  speed: z.number().nonnegative().optional(),
  now: z.iso.datetime().optional(),
  advance_ms: z.number().nonnegative().optional(),
  // Accepted because GET returns it, but ignored because it follows from the schedule.
  next: z.iso.datetime().nullable().optional(),
})

function tooFar(field: string) {
  return validationRefusal([{ loc: ['body', field], msg: 'must lie within 30 years', type: 'less_than' }])
}

/** Routes of the controls, and of the seed. */
export const platformControlRoutes = (controls: PlatformControls<unknown>, seed: number): Control[] => [
  control('GET /chaos', { summary: 'Show the chances of faults' }, () => controls.readChaos()),
  control(
    'PUT /chaos',
    { summary: 'Set all chances, or a preset', body: ChaosRequest, isBodyOptional: true },
    ({ body }) => controls.setChaos('preset' in body ? body.preset : body),
  ),
  control('PATCH /chaos', { summary: 'Change single chances', body: ChaosSettings }, ({ body }) =>
    controls.patchChaos(body),
  ),
  control('GET /clock', { summary: 'Show sandbox time, its speed and the next transition' }, () =>
    controls.readClock(),
  ),
  control(
    'PUT /clock',
    { summary: 'Change the speed, or advance and run all transitions due', body: ClockRequest },
    ({ body }) => controls.setClock(fromWire(body)),
  ),
  control('PATCH /clock', { summary: 'The same as PUT', body: ClockRequest }, ({ body }) =>
    controls.setClock(fromWire(body)),
  ),
  control('GET /seed', { summary: 'Show the seed' }, () => ({ seed })),
  control('POST /step', { summary: 'Run the next transition at once' }, () => controls.step() ?? { id: null }),
]
