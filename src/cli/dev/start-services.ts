import { randomBytes } from 'node:crypto'
import { systemCodeOf } from '../../errors.ts'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { patientNumbers, startFhirServer } from '../demo/fhir-server.ts'
import { startPharmacyDesk } from '../demo/pharmacy-desk.ts'
import { DevRefused } from './dev-refused.ts'

/** The ports of what is started beside the gateway. */
export interface ServicePorts {
  sandbox: number
  fhir: number
  pharmacy: number
}

/** What is started beside the gateway, and lives on while that starts again. */
export interface Services {
  /** Absent where API_BASE_URL names another service. */
  sandbox: { controls: Sandbox['controls']; url: string; token: string } | undefined
  /** What the gateway and other terminals need to reach them. */
  settings: Record<string, string>
  /** Settings that name a system of somebody else's, in place of which nothing was started. */
  left: string[]
  close(this: void): Promise<void>
}

/** Starts sandbox, FHIR server and pharmacy, each unless the settings name another. Throws `DevRefused` where a port is taken, with all that was started closed again. */
export async function startServices(
  given: Record<string, string>,
  { ports, speed, seed }: { ports: ServicePorts; speed: number; seed: number | undefined },
): Promise<Services> {
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne()
  }
  const settings: Record<string, string> = {}
  const left = ['API_BASE_URL', 'FHIR_BASE_URL', 'PHARMACY_URL'].filter((name) => given[name] !== undefined)
  try {
    let sandbox: Services['sandbox']
    if (!left.includes('API_BASE_URL')) {
      const created = createSandbox({
        speed,
        ...(seed !== undefined && { seed }),
        // The shortest way is the one to see first.
        detours: { awaitingProviderResponse: 0, validatingOutcome: 0 },
      })
      closers.push(created.close)
      const { url } = await listening(created.listen(ports.sandbox), ports.sandbox, '--sandbox-port')
      sandbox = { controls: created.controls, url, token: await created.issueToken() }
      const enrollment = given.ENROLLMENT_BASE_URL === undefined && { ENROLLMENT_BASE_URL: `${url}/enrollment` }
      Object.assign(settings, { API_BASE_URL: url, API_TOKEN: sandbox.token, ...enrollment })
    }
    if (!left.includes('FHIR_BASE_URL')) {
      const fhir = await listening(startFhirServer({ port: ports.fhir }), ports.fhir, '--fhir-port')
      closers.push(fhir.close)
      Object.assign(settings, { FHIR_BASE_URL: fhir.url, FHIR_PATIENT_SYSTEM: patientNumbers })
    }
    if (!left.includes('PHARMACY_URL')) {
      const secret = `whsec_${randomBytes(32).toString('base64')}`
      const starting = startPharmacyDesk(secret, () => {}, ports.pharmacy)
      const desk = await listening(starting, ports.pharmacy, '--pharmacy-port')
      closers.push(desk.close)
      Object.assign(settings, { PHARMACY_URL: desk.url, PHARMACY_SECRET: secret })
    }
    return { sandbox, settings, left, close }
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
