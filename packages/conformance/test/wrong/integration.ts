import type { AnyIntegration, Given } from '../../../../src/index.ts'
import { fhirEhr, fhirSettings } from '@pawl/ehr'
import { pharmacyFrom, pharmacySettings } from '@pawl/pharmacy'
import { shippedHandlers } from '../../../../templates/index.ts'
import prescriptionTransferToPharmacy from '../../../../templates/prescription-transfer-to-pharmacy/handler.ts'
import { wrongHandlers, wrongPharmacies } from './index.ts'

/** The fault that the address of this module names, and whether the handlers that are shipped run beside it. */
const { searchParams: asked } = new URL(import.meta.url)
const fault = asked.get('fault') ?? ''
const isBeside = asked.has('beside')
const wrongHandler = Object.entries(wrongHandlers).find(([name]) => name === fault)?.[1]
const wrongPharmacy = Object.entries(wrongPharmacies).find(([name]) => name === fault)?.[1]

const ownSettings = { ...fhirSettings, ...pharmacySettings }

/** The handler that is wrong, alone unless others are asked for; alone with a wrong connector, the shipped one that uses it; all that are shipped where no fault is named. */
function handlersWith(): AnyIntegration['handlers'] {
  if (wrongHandler === undefined)
    return wrongPharmacy === undefined || isBeside ? shippedHandlers : [prescriptionTransferToPharmacy]
  return [...(isBeside ? shippedHandlers.filter(({ name }) => name !== wrongHandler.name) : []), wrongHandler]
}

/** An integration with one part that is wrong. */
const integration: AnyIntegration = {
  settings: ownSettings,
  systems: ({ settings }: Given<typeof ownSettings>) => ({
    ehr: fhirEhr(settings),
    journal: { open: () => ({ add: () => Promise.resolve(), put: () => Promise.resolve() }) },
    pharmacy: wrongPharmacy?.(settings) ?? pharmacyFrom(settings),
  }),
  handlers: handlersWith(),
}
// eslint-disable-next-line import/no-default-export -- as every integration is exported
export default integration
