import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Api, createApi } from '../service/client/client.ts'
import type { Resource } from '../service/schemas/kinds.ts'
import type { Controls } from '../sandbox/controls.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import { noDetours } from '../sandbox/platform.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import type { Truth } from '../sandbox/truth.ts'
import type { TestClock } from './test-clock.ts'

/** The service, as a local copy of it that the test controls. */
export interface TestService {
  url: string
  /** A client of the service, as another system of the organization would use it. */
  api: Api
  /** Everything that a test can do to the service: push a PA on, lose webhooks, fail. */
  controls: Controls
  /** Everything that was created at the service, as GET returns it now. */
  truth(this: void): Truth
  /** From now on the service answers with this resource when asked for its id, whatever it knew of it. */
  holds(this: void, resource: Resource): void
}

/** The service as the kit itself sees it. */
export interface RunningService extends TestService {
  token: string
  /** Whether the service knows the id, by creation or by `holds`. */
  knows(id: string): boolean
  /** What is on its way from or to the service, in words; empty where nothing is. */
  moving(): string[]
  /** When the next change of a resource is due, ms since 1970. */
  nextChange(): number | undefined
  /** Makes the changes that are due. */
  runDue(): void
  close(): Promise<void>
}

const quickDeliveries = { retryBaseMs: 20, retryMaxMs: 200 }
const heldPath = /^\/(?:prior-authorization|benefit-verification)\/([^/?]+)$/

/** Starts the service on a free port. */
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
    else res.setHeader('content-type', 'application/json').end(JSON.stringify({ status: 'success', data: resource }))
  }

  const server = createServer(answer)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  // The compiler cannot see that a server on a TCP port has no other kind of address.
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
        ...(deliveries.length > 0 ? [`webhooks on their way from the service: ${deliveries.length}`] : []),
        ...(requests > 0 ? [`requests that the service has not answered: ${requests}`] : []),
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
