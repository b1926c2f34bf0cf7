import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FhirRequest, FhirRouter, MemoryRepository } from '@medplum/fhir-router'
import { getStatus, validateResource } from '@medplum/core'
import type { OperationOutcome, Patient, Resource } from '@medplum/fhirtypes'
import type { FhirResource } from 'fhir/r4.js'
import type { PriorAuthorizationRequest } from 'pawl-client/schemas/prior-authorization-request'
import { patient } from '@pawl/sandbox/sample-requests'
import { indexFhirDefinitions, indexType } from './fhir-definitions.ts'
import { orderId, sampleOrder } from './sample-order.ts'

type ResourceType = FhirResource['resourceType']

/** A patient of a chart. */
type AdmittedPatient = Pick<PriorAuthorizationRequest['patient'], 'internal_id' | 'date_of_birth'>

export interface FhirServer {
  /** Base URL, for createFhirEhr. */
  readonly url: string
  /** All resources of one type, oldest first. */
  search<T extends ResourceType>(type: T): Promise<Extract<FhirResource, { resourceType: T }>[]>
  /** Requests so far, including refused ones, by method and type, such as `PUT Task`. */
  readonly requests: ReadonlyMap<string, number>
  /** Adds a patient with this number; resolves with the id. */
  admit(this: void, patient: AdmittedPatient): Promise<string>
  /** Adds a complete prescription for the patient of the sandbox's sample requests; resolves with the id of the MedicationRequest. */
  prescribe(this: void): Promise<string>
  /** Id of the patient of the sandbox's sample requests. */
  readonly patientId: string
  /** Accepted writes so far, except those of patients. */
  readonly writes: number
  /** Answers every request with 503 until told otherwise. */
  setDown(down: boolean): void
  /** Delays every response by this many milliseconds. */
  setDelay(delayMs: number): void
  /** Answers the next request with this status, or the next one of that method and type, such as `PUT Task`. */
  failNext(status: number, options?: { headers?: Record<string, string>; of?: string }): void
  close(): Promise<void>
}

/** An independent FHIR R4 server on 127.0.0.1: Medplum's router on its in-memory repository, which refuses invalid resources with 400. `port` 0 (default) takes a free one; rejects if the port is taken. It knows the patient of the sandbox's sample requests. */
export async function startFhirServer({ port: wantedPort = 0 } = {}): Promise<FhirServer> {
  indexFhirDefinitions()
  const router = new FhirRouter()
  const repository = new MemoryRepository()
  const requests = new Map<string, number>()
  const failures: { status: number; headers: Record<string, string>; of: string | undefined }[] = []
  const state = { down: false, delayMs: 0, writes: 0 }

  function takeFailure(key: string) {
    const at = failures.findIndex(({ of }) => of === undefined || of === key)
    return at === -1 ? undefined : failures.splice(at, 1)[0]
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request)
    const { path, isPretty } = readTarget(request.url ?? '')
    const type = path.match(/^\/(\w+)/)?.[1] ?? ''
    const key = `${request.method} ${type}`
    requests.set(key, (requests.get(key) ?? 0) + 1)
    if (state.delayMs > 0) await sleep(state.delayMs, undefined, { ref: false })
    const failure = state.down ? { status: 503, headers: {} } : takeFailure(key)
    if (failure !== undefined) return send(response, failure.status, failed('transient'), failure.headers)
    if (type === 'metadata') return send(response, 200, capabilityStatement)
    if (/^[A-Z]/.test(type) && !indexType(type)) return send(response, 404, failed('not-supported'))
    const refusal = refusalOf(request.method, body)
    if (refusal !== undefined) return send(response, 400, refusal)
    const [outcome, resource] = await router.handleRequest(toFhirRequest(request, path, body), repository)
    const status = getStatus(outcome)
    if (request.method !== 'GET' && status < 300) state.writes += 1
    send(response, status, resource ?? outcome, {}, isPretty)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => send(response, 500, failed('exception')))
  })
  server.listen(wantedPort, '127.0.0.1')
  await once(server, 'listening')
  // The compiler cannot see that a listening server has an address object.
  const { port } = server.address() as AddressInfo

  async function admit({ internal_id: value, date_of_birth: birthDate }: AdmittedPatient): Promise<string> {
    const identifier = [{ system: patientNumbers, value }]
    return (await repository.createResource<Patient>({ resourceType: 'Patient', identifier, birthDate })).id
  }
  const patientId = await admit(patient)

  async function prescribe(): Promise<string> {
    for (const resource of sampleOrder(patientId, patientNumbers)) await repository.updateResource(resource)
    return orderId
  }

  return {
    url: `http://127.0.0.1:${port}/fhir/R4`,
    requests,
    get writes() {
      return state.writes
    },
    async search<T extends ResourceType>(type: T) {
      // The compiler cannot see that Medplum's types and ours describe the same FHIR R4.
      const held: unknown[] = await repository.searchResources({ resourceType: type })
      return held as Extract<FhirResource, { resourceType: T }>[]
    },
    admit,
    prescribe,
    patientId,
    setDown: (down) => void (state.down = down),
    setDelay: (delayMs) => void (state.delayMs = delayMs),
    failNext: (status, { headers = {}, of } = {}) => void failures.push({ status, headers, of }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Reason to refuse a body: not JSON, or not valid FHIR R4 by Medplum's structure and invariant checks. */
function refusalOf(method: string | undefined, body: string): OperationOutcome | undefined {
  if (method !== 'PUT' && method !== 'POST') return undefined
  try {
    // The compiler cannot see that the validator refuses anything but a resource.
    validateResource(JSON.parse(body) as Resource)
    return undefined
  } catch (error) {
    if (error instanceof SyntaxError) return failed('structure')
    if (error instanceof Error && 'outcome' in error) return error.outcome as OperationOutcome
    throw error
  }
}

function toFhirRequest(request: IncomingMessage, url: string, body: string): FhirRequest {
  return {
    // The compiler cannot see that the router answers unknown methods with 404.
    method: request.method as FhirRequest['method'],
    url,
    pathname: '',
    params: {},
    query: {},
    headers: request.headers,
    body: body === '' ? undefined : JSON.parse(body),
  }
}

/** Path and query of a request below the base, and whether to pretty-print the response (`_pretty`, a parameter of FHIR). */
function readTarget(url: string): { path: string; isPretty: boolean } {
  const path = url.replace(/^\/fhir\/R4/, '')
  const [resource = '', query = ''] = path.split('?')
  const parameters = new URLSearchParams(query)
  const isPretty = parameters.get('_pretty') === 'true'
  const patient = parameters.get('patient')
  const isBareId = patient !== null && !patient.includes('/')
  if (!isBareId && !parameters.has('_pretty')) return { path, isPretty }
  parameters.delete('_pretty')
  // FHIR allows searching a reference by its id alone, which the repository does not support.
  if (isBareId) parameters.set('patient', `Patient/${patient}`)
  return { path: parameters.size === 0 ? resource : `${resource}?${parameters.toString()}`, isPretty }
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
  isPretty = false,
): void {
  const text = isPretty ? `${JSON.stringify(body, undefined, 2)}\n` : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/fhir+json', ...headers }).end(text)
}

function failed(code: 'transient' | 'structure' | 'exception' | 'not-supported'): OperationOutcome {
  return { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code }] }
}

/** The identifier system of admitted patients' numbers. */
export const patientNumbers = 'https://clinic.example/patient-numbers'

const reading = [{ code: 'read' }, { code: 'search-type' }]
const searchable = [
  { name: 'identifier', type: 'token' },
  { name: 'patient', type: 'reference' },
]
const writable = [
  'DocumentReference',
  'Task',
  'ClaimResponse',
  'CoverageEligibilityResponse',
  'Coverage',
  'Communication',
].map((type) => ({
  type,
  interaction: [...reading, { code: 'create' }, { code: 'update' }],
  versioning: 'versioned-update',
  conditionalUpdate: true,
  searchParam: searchable,
}))

const readable = ['Patient', 'Practitioner', 'PractitionerRole', 'MedicationRequest', 'Medication', 'Condition'].map(
  (type) => ({
    type,
    interaction: reading,
    searchParam: searchable,
  }),
)

const capabilityStatement = {
  resourceType: 'CapabilityStatement',
  status: 'active',
  date: '2026-01-01',
  kind: 'instance',
  fhirVersion: '4.0.1',
  format: ['application/fhir+json'],
  software: { name: 'FHIR server of the demo' },
  rest: [{ mode: 'server', resource: [...readable, ...writable] }],
}
