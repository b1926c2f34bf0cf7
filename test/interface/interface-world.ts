import { onTestFinished } from 'vitest'
import { type Api, createApi } from '../../packages/client/src/api/client.ts'
import type { SandboxOptions } from '../../packages/sandbox/src/options.ts'
import { ndpSubmission, patient, prescription, provider } from '../../packages/sandbox/src/sample-requests.ts'
import { noDetours } from '../../packages/sandbox/src/platform.ts'
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { startFarSide } from '../../packages/testing/src/far-side.ts'
import type { RequestFixture } from './spec-fixtures.ts'

/** A sandbox behind a real port, a client of it and bare HTTP to it. Time moves by `controls.step` alone; no PA takes a detour. */
export interface InterfaceWorld {
  sandbox: Sandbox
  api: Api
  /** One call over HTTP without the client; `operation` as `POST /prior-authorization/{id}/cancel`. */
  send(operation: string, options?: { body?: unknown; id?: string }): Promise<{ status: number; body: unknown }>
  /** Runs all scheduled work. */
  finish(): void
}

/** Enrollment has a host of its own, which the sandbox plays under a path prefix. */
const enrollment = '/enrollment'

/** Starts a world; it is closed after the test unless `keep` is given, which then has to close it. */
export async function startInterfaceWorld(
  options: SandboxOptions = {},
  keep?: { close(): Promise<unknown> }[],
): Promise<InterfaceWorld> {
  const sandbox = createSandbox({
    speed: 0,
    seed: 7,
    detours: noDetours,
    organizations: [{ id: 'org_demo', pharmacy: true }],
    allowPrivateFileUrls: true,
    ...options,
  })
  if (keep === undefined) onTestFinished(() => sandbox.close())
  else keep.push(sandbox)
  const { url } = await sandbox.listen()
  const token = await sandbox.issueToken()
  const api = createApi({ baseUrl: url, enrollmentBaseUrl: url + enrollment, token })
  return {
    sandbox,
    api,
    send: async (operation, { body, id = '' } = {}) => {
      const [method = '', route = ''] = operation.split(' ')
      const prefix = route === '/patient-enrollment' ? enrollment : ''
      const answer = await fetch(url + prefix + route.replace('{id}', id), {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      })
      const text = await answer.text()
      return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
    },
    finish: () => {
      while (sandbox.controls.step() !== undefined);
    },
  }
}

/** A host that has a PDF at every address; closed after the test. */
async function startFileHost(): Promise<string> {
  const server = await startFarSide(() => ({ status: 200, body: '%PDF-1.4\n%%EOF\n' }))
  onTestFinished(server.close)
  return server.url
}

const someone = { patient, provider, insurance_content: { member_number: 'M-1' } }

/** A PA with an NDP submission that is to end with `result`; its id. */
export async function createPriorAuthorization(
  { api }: InterfaceWorld,
  result: 'Approved' | 'Denied',
): Promise<string> {
  const ndp_submission = {
    ...ndpSubmission,
    prescription_message_id: `rx-${crypto.randomUUID()}`,
    ignore_eligibility_check_error: true,
  }
  const mock_result = { result } as const
  return (await api.createPriorAuthorization({ ...someone, prescription, mock_result, ndp_submission })).id
}

/** A BV that was cancelled; its id. */
export async function createCancelledVerification({ api }: InterfaceWorld): Promise<string> {
  const { id } = await api.createBenefitVerification({ ...someone, drugs: [{ name: 'Examplumab' }] })
  await api.cancelBenefitVerification(id)
  return id
}

/** The body of a fixture with what it refers to in place: an earlier PA that ended, a cancelled BV, a host of files. */
export async function prepared(world: InterfaceWorld, { body }: RequestFixture): Promise<unknown> {
  const text = JSON.stringify(body)
  const previous = await createPriorAuthorization(world, text.includes('appeal_details') ? 'Denied' : 'Approved')
  world.finish()
  return JSON.parse(
    text
      .replaceAll('pa_req_previous', previous)
      .replaceAll('bv_cancelled', await createCancelledVerification(world))
      .replaceAll('https://files.example.com', await startFileHost()),
  )
}
