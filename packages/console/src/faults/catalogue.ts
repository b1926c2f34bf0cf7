import { deliveryFaults } from './delivery-faults.ts'
import type { FaultEntry } from './fault-entry.ts'
import { systemFaults } from './system-faults.ts'
import { upkeepFaults } from './upkeep-faults.ts'
import { workFaults } from './work-faults.ts'

/** The catalogue of faults. Alerts, the console and `pawl status` take their words from here; a test holds the runbook's headings and its table of messages to them. */
export const catalogue = { ...systemFaults, ...deliveryFaults, ...workFaults, ...upkeepFaults }

export type FaultCode = keyof typeof catalogue

const entries: Readonly<Record<string, FaultEntry>> = catalogue

/** Whether a fault is over, and only its consequence is left. */
export function isPast(code: string): boolean {
  return entries[code]?.isPast === true
}

/** Whether the title of a fault states an age or a moment. */
export function isDated(code: string): boolean {
  return entries[code]?.isDated === true
}

/** The section of the runbook without a fault. */
export const erasureSection = 'a-patient-asks-for-erasure'
