import { z } from 'zod'
import { type Clock, systemClock } from '../../../clock.ts'
import { type Fetch, leanFetch } from '../../../fetch.ts'
import type { CheckReport, System } from '../../../systems/system.ts'
import { exchange } from '../../exchange.ts'
import { notConfigured } from '../../not-configured.ts'
import type { Ehr } from '../ehr.ts'
import { createMemoryEhr } from '../memory/memory-ehr.ts'
import { createFhirServerStore } from './fhir-server-store.ts'
import { createMappedEhr } from './mapped-ehr.ts'
import { createOneAtATime } from './one-at-a-time.ts'

/** The settings that the chart is reached by. */
export interface FhirSettings {
  NODE_ENV: string
  FHIR_BASE_URL?: string | undefined
  FHIR_TOKEN?: string | undefined
  FHIR_IDENTIFIER_BASE: string
}

/** The chart that the settings name. Without one, production parks what would be written, and development keeps it in memory. */
export function fhirEhr(settings: FhirSettings): System<Ehr> {
  const { FHIR_BASE_URL: baseUrl, FHIR_TOKEN: token, FHIR_IDENTIFIER_BASE: identifierBase } = settings
  if (baseUrl !== undefined) return createFhirEhr({ baseUrl, identifierBase, token })
  if (settings.NODE_ENV === 'production') return notConfigured('FHIR_BASE_URL')
  return {
    ...createMemoryEhr({ identifierBase }),
    notice: 'FHIR_BASE_URL is not set: what is written to the EHR stays in memory',
  }
}

export interface FhirEhrOptions {
  /** The server's FHIR R4 base, for example `https://ehr.example/fhir/R4`. */
  baseUrl: string
  /** Base of the identifier systems of everything that pawl writes. */
  identifierBase: string
  /** Bearer token, where the server asks for one. */
  token?: string | undefined
  fetch?: Fetch
  /** Milliseconds that one request may take. Default 15,000. */
  timeoutMs?: number
  clock?: Clock
}

/** The chart on a FHIR R4 server that knows conditional update. Its methods throw `EhrWriteFailed`, which says whether to try again. */
export function createFhirEhr(options: FhirEhrOptions): System<Ehr> {
  const { baseUrl, identifierBase, token, clock = systemClock, fetch = leanFetch, timeoutMs = 15_000 } = options
  const oneAtATime = createOneAtATime()
  return {
    open(run) {
      const store = createFhirServerStore({ baseUrl, token, clock, fetch, timeoutMs, run })
      return createMappedEhr({ store, identifierBase, clock, oneAtATime, run })
    },
    async check(signal) {
      const run = { signal, assertMayAct() {}, remainingMs: () => timeoutMs }
      const headers = {
        accept: 'application/fhir+json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      }
      const url = `${baseUrl.replace(/\/+$/, '')}/metadata`
      return readCapabilities(await exchange({ clock, fetch, timeoutMs }, run, url, { method: 'GET', headers }))
    },
  }
}

const Capabilities = z.looseObject({ resourceType: z.literal('CapabilityStatement'), fhirVersion: z.string() })

function readCapabilities(answer: Awaited<ReturnType<typeof exchange>>): CheckReport {
  if (!answer.ok) return { ok: false, findings: [`FHIR_BASE_URL does not show its capabilities: ${answer.reason}.`] }
  const { data } = Capabilities.safeParse(parseJson(answer.text))
  if (data === undefined) return { ok: false, findings: ['What answers at FHIR_BASE_URL is no FHIR server.'] }
  const isR4 = data.fhirVersion.startsWith('4.0')
  return { ok: isR4, findings: [isR4 ? 'A FHIR R4 server answers.' : 'The server is no FHIR R4 (4.0) server.'] }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
