import { randomBytes } from 'node:crypto'
import { systemCodeOf } from '../../../base/errors.ts'
import type { SandboxOptions } from '../../../sandbox/options.ts'
import { createSandbox, type Sandbox } from '../../../sandbox/sandbox.ts'
import { DevRefused } from '../dev-refused.ts'
import { type FhirServer, patientNumbers, startFhirServer } from './fhir-server.ts'
import { type PharmacyDesk, startPharmacyDesk } from './pharmacy-desk.ts'

/** The ports of the services beside the gateway. */
export interface ServicePorts {
  sandbox: number
  fhir: number
  pharmacy: number
}

/** How the services run. */
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

/** All that a gateway talks to on this machine, except systems that the given settings name. */
export interface StartedServices {
  /** With its address, and a token of its first organization. */
  sandbox?: Sandbox & { url: string; token: string }
  fhir?: FhirServer
  pharmacy?: PharmacyDesk
  /** The settings with which a gateway and other terminals reach them. */
  settings: Partial<Settings>
  /** The given settings in place of which nothing was started. */
  left: string[]
  close(this: void): Promise<void>
}

/** All of them. */
export interface Services extends Required<StartedServices> {
  settings: Settings
}

/** Starts sandbox, FHIR server and pharmacy, each unless the given settings name another. Throws `DevRefused` where a port is taken, with all that was started closed again. */
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
      const pharmacy = await listening(
        startPharmacyDesk(secret, () => {}, ports.pharmacy),
        ports.pharmacy,
        '--pharmacy-port',
      )
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

/** Waits for a server; says which port is taken, and by which flag another is chosen. */
export async function listening<T>(starting: Promise<T>, port: number, flag: string): Promise<T> {
  try {
    return await starting
  } catch (error) {
    if (systemCodeOf(error) !== 'EADDRINUSE') throw error
    throw new DevRefused(`Port ${port} is taken: end what listens there, or choose another with ${flag}.`, {
      cause: error,
    })
  }
}
