import { z } from 'zod'
import type { AnyIntegration, Given, PriorAuthorization } from '../../../../../src/index.ts'
import { fhirEhr, fhirSettings } from '@pawl/ehr'
import { pharmacyFrom, pharmacySettings } from '@pawl/pharmacy'
import {
  exchange,
  leanFetch,
  type RunContext,
  type System,
  systemClock,
  WriteFailed,
} from '../../../../../src/connector.ts'

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

const http = { fetch: leanFetch, clock: systemClock, timeoutMs: 5_000 }
const headers = { 'content-type': 'application/json' }

/** Asks a far side that takes no key for one of its records, such as a case; what is gone is deleted. */
export function asking(url: string, { system, what }: { system: string; what: string }) {
  return async (run: RunContext, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await exchange(http, run, `${url}${path}`, request)
    if (answer.ok || (method === 'DELETE' && answer.status === 404)) return answer.text
    throw new WriteFailed({ system, what, resourceId: run.resourceId, failure: answer })
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
