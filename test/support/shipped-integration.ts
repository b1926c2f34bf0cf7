import { fhirEhr, type Given, pharmacyFrom } from '#pawl'
import { shippedHandlers } from '../../templates/index.ts'

/** The integration as pawl ships it: these tests hold whatever a fork makes of src/integration. */
export const shippedIntegration = {
  settings: {},
  systems: ({ settings }: Given) => ({ ehr: fhirEhr(settings), pharmacy: pharmacyFrom(settings) }),
  handlers: shippedHandlers,
}
