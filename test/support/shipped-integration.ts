import type { Given } from '#pawl'
import { ehrSettings, fhirEhr } from '@pawl/ehr'
import { pharmacyFrom, pharmacySettings } from '@pawl/pharmacy'
import { shippedHandlers } from '../../templates/index.ts'

/** Settings of the connectors that pawl ships. */
export const connectorsSettings = { ...ehrSettings, ...pharmacySettings }

/** The integration as pawl ships it: these tests hold for any src/integration of a fork. */
export const shippedIntegration = {
  settings: connectorsSettings,
  systems: ({ settings }: Given<typeof connectorsSettings>) => ({
    ehr: fhirEhr(settings),
    pharmacy: pharmacyFrom(settings),
  }),
  handlers: shippedHandlers,
}

/** Its file, `src/integration/index.ts`, for tests that make a fork of their own. */
export const shippedIndex = `import { defineIntegration, type Given } from '#pawl'
import { ehrSettings, fhirEhr } from '@pawl/ehr'
import { pharmacyFrom, pharmacySettings } from '@pawl/pharmacy'
import { shippedHandlers } from '../../templates/index.ts'

/** Settings of the connectors, and your own: a zod schema for each environment variable. */
const ownSettings = {
  ...ehrSettings,
  ...pharmacySettings,
}

/** The systems that handlers write to, by the names that breaker, audit trail, metrics and \`pawl status\` give them. */
const systems = ({ settings }: Given<typeof ownSettings>) => ({
  ehr: fhirEhr(settings),
  pharmacy: pharmacyFrom(settings),
})

declare module '#pawl' {
  /** Gives handlers the types of what is declared here. */
  interface Register {
    settings: typeof ownSettings
    systems: typeof systems
  }
}

/** All that a fork edits: its handlers, connectors and their tests live beside this file. */
export default defineIntegration({ settings: ownSettings, systems, handlers: [...shippedHandlers] })
`
