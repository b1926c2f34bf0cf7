import { defineHandler, defineIntegration, type Given, isApproved } from 'pawl'
import { ehrFrom, ehrSettings } from 'pawl/ehr'
import { pharmacyFrom, pharmacySettings } from 'pawl/pharmacy'
import { z } from 'zod'

/** Settings of the connectors, and your own: a zod schema for each environment variable. */
const ownSettings = {
  ...ehrSettings,
  ...pharmacySettings,
  TEAM_NAME: z.string().default('the PA team').describe('The team that approvals are announced to.'),
}

/** The systems that handlers write to: FHIR_BASE_URL, EHR_URL and PHARMACY_URL choose them. */
const systems = ({ settings }: Given<typeof ownSettings>) => ({
  ehr: ehrFrom(settings),
  pharmacy: pharmacyFrom(settings),
})

declare module 'pawl' {
  /** Gives handlers the types of these declarations. */
  interface Register {
    settings: typeof ownSettings
    systems: typeof systems
  }
}

/** Announces each approval once. */
export const announceApprovals = defineHandler({
  name: 'announce-approvals',
  on: ['prior_authorization.status_change'],
  async handle({ resource, settings, once, log }) {
    if (resource.status !== 'completed' || !isApproved(resource.outcome)) return
    await once('announced', async () => {
      log.info({ status: resource.status }, `approved: tell ${settings.TEAM_NAME} here`)
    })
  },
})

/** Handlers that write to chart and pharmacy come with pawl: `import { shippedHandlers } from 'pawl/templates'`, and spread them here. */
export default defineIntegration({ settings: ownSettings, systems, handlers: [announceApprovals] })
