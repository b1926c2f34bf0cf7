import { z } from 'zod'
import { Trace } from '@pawl/testing/lines/run-mark'

/** A message from the conformance run to the process that runs pawl with the fork's integration. */
export const Order = z.discriminatedUnion('order', [
  z.strictObject({ order: z.literal('load'), integrationUrl: z.string() }),
  z.strictObject({
    order: z.literal('start'),
    env: z.record(z.string(), z.string()),
    /** Origins of the run's systems, the address that replaces all others, and the folder for temporary files. */
    route: z.strictObject({ known: z.array(z.string()), ownUrl: z.string(), temporary: z.string() }),
  }),
  z.strictObject({ order: z.literal('stop') }),
  z.strictObject({ order: z.literal('set_clock'), offsetMs: z.number() }),
])
export type Order = z.infer<typeof Order>

/** A handler of the integration; `isShipped`: unchanged from pawl's own. */
const LoadedHandler = z.strictObject({ name: z.string(), on: z.array(z.string()), isShipped: z.boolean() })
export type LoadedHandler = z.infer<typeof LoadedHandler>

/** The process's answer. */
export const Report = z.discriminatedUnion('report', [
  z.strictObject({ report: z.literal('loaded'), handlers: z.array(LoadedHandler), settings: z.array(z.string()) }),
  z.strictObject({ report: z.literal('started'), url: z.string(), adminUrl: z.string() }),
  z.strictObject({ report: z.literal('stopped'), tookMs: z.number(), left: z.array(z.string()) }),
  z.strictObject({ report: z.literal('clock_set') }),
  z.strictObject({ report: z.literal('trace'), trace: Trace }),
  z.strictObject({ report: z.literal('failed'), message: z.string() }),
])
export type Report = z.infer<typeof Report>

/** Where requests of the process go. */
export type Route = Extract<Order, { order: 'start' }>['route']
