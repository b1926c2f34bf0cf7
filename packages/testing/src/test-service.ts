import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Api, createApi } from 'pawl-client/api/client'
import { asSent } from 'pawl-client/schemas/lenient'
import type { Resource } from 'pawl-client/schemas/kinds'
import type { Controls } from '@pawl/sandbox/controls'
import type { SandboxOptions } from '@pawl/sandbox/options'
import { noDetours } from '@pawl/sandbox/platform'
import { createSandbox } from '@pawl/sandbox/sandbox'
import type { Truth } from '@pawl/sandbox/truth'
import type { TestClock } from './test-clock.ts'

/** A local copy of the service, controlled by the test. */
export interface TestService {
  url: string
  /** A client of the service, as another system of the organization would use it. */
  api: Api
  /** The service's controls: move a PA, lose webhooks, fail requests. */
  controls: Controls
  /** All resources created at the service, as GET returns them now. */
  truth(this: void): Truth
  /** From now on GET answers this id with the given resource, whatever its real state. */
  holds(this: void, resource: Resource): void
}

/** The service with the kit's internal view. */
export interface RunningService extends TestService {
  token: string
  /** Whether the id was created or given to `holds`. */
  knows(id: string): boolean
  /** Describes traffic in flight from or to the service; empty without any. */
  moving(): string[]
  /** Due time of the next change of a resource, ms since 1970. */
  nextChange(): number | undefined
  /** Applies the due changes. */
  runDue(): void
  close(): Promise<void>
}

const quickDeliveries = { retryBaseMs: 20, retryMaxMs: 200 }
const heldPath = /^\/(?:prior-authorization|benefit-verification)\/([^/?]+)$/

export async function startTestService(clock: TestClock, options: SandboxOptions = {}): Promise<RunningService> {
  const sandbox = createSandbox({
    seed: 1,
    detours: noDetours,
    ...options,
    webhooks: { ...quickDeliveries, ...options.webhooks },
    clock,
  })
  const { controls } = sandbox
  const held = new Map<string, Resource>()
  let requests = 0

  function answer(req: IncomingMessage, res: ServerResponse): void {
    requests += 1
    res.once('close', () => (requests -= 1))
    const id = req.method === 'GET' ? heldPath.exec(req.url ?? '')?.[1] : undefined
    const resource = id === undefined ? undefined : held.get(decodeURIComponent(id))
    if (resource === undefined) sandbox.app(req, res)
    else
      res
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ status: 'success', data: asSent(resource) }))
  }

  const server = createServer(answer)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  // A server on a port has an address object; the type also allows pipes.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const token = await sandbox.issueToken()

  return {
    url,
    token,
    api: createApi({ baseUrl: url, enrollmentBaseUrl: `${url}/enrollment`, token }),
    controls,
    truth: () => sandbox.truth(),
    holds: (resource) => void held.set(resource.id, resource),
    knows(id) {
      const { prior_authorizations, benefit_verifications } = sandbox.truth()
      return held.has(id) || [...prior_authorizations, ...benefit_verifications].some((each) => each.id === id)
    },
    moving() {
      const deliveries = controls.deliveries().filter(({ state }) => state === 'pending')
      return [
        ...(deliveries.length > 0 ? [`webhooks in flight from the service: ${deliveries.length}`] : []),
        ...(requests > 0 ? [`requests not yet answered by the service: ${requests}`] : []),
      ]
    },
    nextChange() {
      const { next } = controls.readClock()
      return next === null ? undefined : Date.parse(next)
    },
    runDue: () => void controls.setClock({}),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await Promise.all([closed, sandbox.close()])
    },
  }
}
