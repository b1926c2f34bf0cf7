import { defineIntegration, ehrFrom, type Given, pharmacyFrom } from '#pawl'
import { shippedHandlers } from '../../templates/index.ts'

/** Your own settings: a zod schema for each environment variable. */
const ownSettings = {}

/** The systems that handlers write to, by the names shown in breaker, audit trail, metrics and `pawl status`. */
const systems = ({ settings }: Given<typeof ownSettings>) => ({
  ehr: ehrFrom(settings),
  pharmacy: pharmacyFrom(settings),
})

declare module '#pawl' {
  /** Gives handlers the types of these declarations. */
  interface Register {
    settings: typeof ownSettings
    systems: typeof systems
  }
}

/** The only folder that a fork edits: its handlers, connectors and their tests live beside this file. */
export default defineIntegration({ settings: ownSettings, systems, handlers: [...shippedHandlers] })
