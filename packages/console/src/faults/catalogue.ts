import { deliveryFaults } from './delivery-faults.ts'
import { systemFaults } from './system-faults.ts'
import { upkeepFaults } from './upkeep-faults.ts'
import { workFaults } from './work-faults.ts'

/** Every fault that pawl tells of. Alerts, the console, `pawl status` and the runbook take their words from here. */
export const catalogue = { ...systemFaults, ...deliveryFaults, ...workFaults, ...upkeepFaults }

export type FaultCode = keyof typeof catalogue

/** The section of the runbook that is no fault. */
export const erasureSection = 'a-patient-asks-for-erasure'
