import { type AnyIntegration, fhirEhr, type Given, pharmacyFrom } from '../../../../src/index.ts'
import { shippedHandlers } from '../../../../templates/index.ts'
import prescriptionTransferToPharmacy from '../../../../templates/prescription-transfer-to-pharmacy/handler.ts'
import { amountAndDayHandlers } from './amounts-and-days.ts'
import { attemptHandlers } from './attempts.ts'
import { calledOffHandlers } from './called-off.ts'
import { wrongPharmacies } from './connectors.ts'
import { findingAndDayHandlers } from './findings-and-days.ts'
import { furtherHandlers } from './further-handlers.ts'
import { goingOnHandlers } from './going-on.ts'
import { wrongHandlers } from './handlers.ts'
import { keyAndMemoryHandlers } from './keys-and-memory.ts'
import { listAndValueHandlers } from './lists-and-values.ts'
import { momentHandlers } from './moments.ts'
import { passingOverHandlers } from './passed-over.ts'
import { secondVisitHandlers } from './second-visits.ts'
import { takenBackHandlers } from './taken-back.ts'
import { unknownEndHandlers } from './unknown-ends.ts'
import { unreadAnswerHandlers } from './unread-answers.ts'

/** The fault that the address of this module names. */
const fault = new URL(import.meta.url).searchParams.get('fault') ?? ''
const wrongHandler = Object.entries({
  ...wrongHandlers,
  ...furtherHandlers,
  ...secondVisitHandlers,
  ...passingOverHandlers,
  ...unreadAnswerHandlers,
  ...listAndValueHandlers,
  ...unknownEndHandlers,
  ...goingOnHandlers,
  ...keyAndMemoryHandlers,
  ...calledOffHandlers,
  ...amountAndDayHandlers,
  ...findingAndDayHandlers,
  ...momentHandlers,
  ...takenBackHandlers,
  ...attemptHandlers,
}).find(([name]) => name === fault)?.[1]
const wrongPharmacy = Object.entries(wrongPharmacies).find(([name]) => name === fault)?.[1]

/** The handler that is wrong, alone; beside a wrong connector, the shipped one that uses it; all that are shipped where no fault is named. */
function handlersWith(): AnyIntegration['handlers'] {
  if (wrongHandler !== undefined) return [wrongHandler]
  return wrongPharmacy === undefined ? shippedHandlers : [prescriptionTransferToPharmacy]
}

/** An integration with one part that is wrong. */
const integration: AnyIntegration = {
  settings: {},
  systems: ({ settings }: Given) => ({
    ehr: fhirEhr(settings),
    journal: { open: () => ({ add: () => Promise.resolve(), put: () => Promise.resolve() }) },
    pharmacy: wrongPharmacy?.(settings) ?? pharmacyFrom(settings),
  }),
  handlers: handlersWith(),
}
// eslint-disable-next-line import/no-default-export -- as every integration is exported
export default integration
