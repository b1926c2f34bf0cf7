import { randomBytes } from 'node:crypto'
import { systemCodeOf } from '@pawl/base/errors'
import type { SandboxOptions } from '@pawl/sandbox/options'
import { createSandbox, type Sandbox } from '@pawl/sandbox/sandbox'
import { DevRefused } from '../dev-refused.ts'
import { type FhirServer, patientNumbers, startFhirServer } from './fhir-server.ts'
import { type PharmacyDesk, startPharmacyDesk } from './pharmacy-desk.ts'

/** The ports of the services beside the gateway. */
export interface ServicePorts {
  sandbox: number
  fhir: number
  pharmacy: number
}

/** Options of the services. */
export interface ServiceOptions {
  sandbox: SandboxOptions
  /** Default: free ones. */
  ports?: ServicePorts
}

type Settings = Record<
  | 'API_BASE_URL'
  | 'API_TOKEN'
  | 'ENROLLMENT_BASE_URL'
  | 'FHIR_BASE_URL'
  | 'FHIR_PATIENT_SYSTEM'
  | 'PHARMACY_URL'
  | 'PHARMACY_SECRET',
  string
>

/** The services around a gateway, on this machine, except systems that the given settings name. */
export interface StartedServices {
  /** The sandbox, its address, and a token of its first organization. */
  sandbox?: Sandbox & { url: string; token: string }
  fhir?: FhirServer
  pharmacy?: PharmacyDesk
  /** Settings for a gateway and other terminals to reach them. */
  settings: Partial<Settings>
  /** Given settings that replaced a service. */
  left: string[]
  close(this: void): Promise<void>
}

export interface Services extends Required<StartedServices> {
  settings: Settings
}

/** Starts sandbox, FHIR server and pharmacy, except those that the given settings name. If a port is taken, closes what it started and throws `DevRefused`. */
export async function startServices(options: ServiceOptions): Promise<Services>
export async function startServices(options: ServiceOptions, given: Record<string, string>): Promise<StartedServices>
export async function startServices(
  { sandbox: sandboxOptions, ports = { sandbox: 0, fhir: 0, pharmacy: 0 } }: ServiceOptions,
  given: Record<string, string> = {},
): Promise<StartedServices> {
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne()
  }
  const left = ['API_BASE_URL', 'FHIR_BASE_URL', 'PHARMACY_URL'].filter((name) => given[name] !== undefined)
  const services: StartedServices = { settings: {}, left, close }
  const { settings } = services
  try {
    if (!left.includes('API_BASE_URL')) {
      const sandbox = createSandbox(sandboxOptions)
      closers.push(sandbox.close)
      const { url } = await listening(sandbox.listen(ports.sandbox), ports.sandbox, '--sandbox-port')
      const token = await sandbox.issueToken()
      services.sandbox = { ...sandbox, url, token }
      const enrollment = given.ENROLLMENT_BASE_URL === undefined && { ENROLLMENT_BASE_URL: `${url}/enrollment` }
      Object.assign(settings, { API_BASE_URL: url, API_TOKEN: token, ...enrollment })
    }
    if (!left.includes('FHIR_BASE_URL')) {
      const fhir = await listening(startFhirServer({ port: ports.fhir }), ports.fhir, '--fhir-port')
      closers.push(fhir.close)
      services.fhir = fhir
      Object.assign(settings, { FHIR_BASE_URL: fhir.url, FHIR_PATIENT_SYSTEM: patientNumbers })
    }
    if (!left.includes('PHARMACY_URL')) {
      const secret = `whsec_${randomBytes(32).toString('base64')}`
      const pharmacy = await listening(startPharmacyDesk(secret, ports.pharmacy), ports.pharmacy, '--pharmacy-port')
      closers.push(pharmacy.close)
      services.pharmacy = pharmacy
      Object.assign(settings, { PHARMACY_URL: pharmacy.url, PHARMACY_SECRET: secret })
    }
    return services
  } catch (error) {
    await close()
    throw error
  }
}

/** Awaits a server's start. If the port is taken, the error names the flag for another. */
export async function listening<T>(starting: Promise<T>, port: number, flag: string): Promise<T> {
  try {
    return await starting
  } catch (error) {
    if (systemCodeOf(error) !== 'EADDRINUSE') throw error
    throw new DevRefused(`Port ${port} is taken: free it, or choose another with ${flag}.`, {
      cause: error,
    })
  }
}
