import { z } from 'zod'
import type { AnyIntegration, Given, PriorAuthorization } from '../../../../../src/index.ts'
import { fhirEhr, fhirSettings } from '@pawl/ehr'
import { pharmacyFrom, pharmacySettings } from '@pawl/pharmacy'
import type { System } from '../../../../../src/connector.ts'

type Settings = Readonly<Record<string, string>>

/** One system of one's own, the setting that names its far side, and the handlers that write to it. */
export interface OwnSystem {
  name: string
  setting: string
  systemAt(this: void, address: string): System<object>
  handlers: AnyIntegration['handlers']
}

/** An integration of these systems alone, beside chart and pharmacy. */
export function integrationOf(...own: readonly OwnSystem[]): AnyIntegration {
  const shipped = { ...fhirSettings, ...pharmacySettings }
  return {
    settings: { ...shipped, ...Object.fromEntries(own.map(({ setting }) => [setting, z.string()])) },
    systems: ({ settings }: Given<typeof shipped>) => {
      // The compiler cannot see the settings of these systems.
      const addresses = settings as unknown as Settings
      const systems = own.map(({ name, setting, systemAt }) => [name, systemAt(addresses[setting] ?? '')] as const)
      return { ehr: fhirEhr(settings), pharmacy: pharmacyFrom(settings), ...Object.fromEntries(systems) }
    },
    handlers: own.flatMap(({ handlers }) => handlers),
  }
}

/** What most systems are told of a PA. */
export function contentOf({ id, status, outcome }: PriorAuthorization) {
  return {
    reference: id,
    status,
    result: outcome?.result ?? null,
    valid_until: outcome?.authorization_expiration ?? null,
  }
}
