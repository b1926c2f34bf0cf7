import { defineIntegration, type Given } from '#pawl'
import { ehrFrom, ehrSettings } from '@pawl/ehr'
import { pharmacyFrom, pharmacySettings } from '@pawl/pharmacy'
import { shippedHandlers } from '../../templates/index.ts'

/** Settings of the connectors, and your own: a zod schema for each environment variable. */
const ownSettings = {
  ...ehrSettings,
  ...pharmacySettings,
}

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
