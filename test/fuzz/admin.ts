import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { defineHandler } from '#pawl'
import { captureLog } from '../support/log-capture.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startTestGateway } from '../support/start-test-gateway.ts'
import { must, mustBeAlive, watchFiles, watchPrototypes } from './aftermath.ts'
import { hostileHttp } from './hostile-http.ts'
import { hostileBody, hostileId, hostileSegment } from './hostile-text.ts'
import { atOnce, exchangeRaw, requestText, statusesOf } from './raw-http.ts'
import type { Attack, Target } from './target.ts'

const password = 'a-password-for-the-fuzz'
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const authorization = basic(`:${password}`)

const paths = [
  '/readyz',
  '/metrics',
  '/api/status',
  '/api/alerts',
  '/api/alerts/history',
  '/api/handlers',
  '/api/parked',
  '/api/retry',
  '/api/reconcile',
]
const keys = ['since', 'resources', 'resource_id', 'handler', 'all']

const since = fc
  .oneof(
    fc.constantFrom(
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59+23:59',
      '2026-02-30T00:00:00Z',
      '1969-12-31T23:59:59Z',
    ),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  )
  .map((each) => JSON.stringify({ since: each }))
const resources = fc
  .array(
    fc.oneof(
      hostileId,
      hostileId.map((id) => `pa:${id}`),
    ),
    { maxLength: 1_200, size: '+1' },
  )
  .map((each) => JSON.stringify({ resources: each }))
const filter = fc
  .record({ resource_id: hostileId, handler: hostileId }, { requiredKeys: [] })
  .map((each) => JSON.stringify(each))

/** A request of whoever has the password, or has not. */
function request(method: string, path: string, body: Buffer | string, credentials = authorization): Attack {
  const isRight = credentials === authorization
  const headers = { 'content-type': 'application/json', ...(credentials !== '' && { authorization: credentials }) }
  return {
    name: `${method} ${path.slice(0, 200)} ${isRight ? '' : 'without the password '}${body.toString().slice(0, 200)}`,
    wire: atOnce(requestText({ method, path, headers }, body)),
    mayPass: isRight,
  }
}

const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS')
const attacks: fc.Arbitrary<Attack> = fc.oneof(
  fc
    .tuple(fc.constantFrom('/api/retry', '/api/reconcile'), hostileBody(keys))
    .map(([path, body]) => request('POST', path, body)),
  fc.oneof(since, resources).map((body) => request('POST', '/api/reconcile', body)),
  filter.map((body) => request('POST', '/api/retry', body)),
  hostileSegment.map((segment) => request('GET', `/api/resources/${segment}`, '')),
  fc.tuple(method, fc.constantFrom(...paths), hostileBody(keys)).map(([verb, path, body]) => request(verb, path, body)),
  fc
    .tuple(
      fc.constantFrom(...paths),
      fc.oneof(
        fc.constantFrom(
          '',
          'Basic',
          'Basic =',
          'Bearer x',
          basic(''),
          basic(':'),
          basic(`:${password}x`),
          basic(password.slice(1)),
        ),
        hostileId.map((id) => basic(`${id}:${id}`)),
        hostileId.map((id) => id.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 10_000)),
      ),
    )
    .map(([path, credentials]) => request('GET', path, '', credentials)),
  hostileHttp({
    path: '/api/retry',
    headers: { 'content-type': 'application/json', authorization },
    body: '{"resource_id":"pa_req_1"}',
  }).map((wire) => ({ name: 'HTTP, with the password', wire, mayPass: true })),
)

/** The admin listener of a gateway in this process, with a password. */
export async function startAdminTarget(): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-fuzz-'))
  const home = join(folder, 'one', 'two')
  await mkdir(home, { recursive: true })
  const log = captureLog('info')
  const handler = defineHandler({ name: 'follows', on: ['prior_authorization.status_change'], handle: async () => {} })
  const gateway = await startTestGateway(
    { handlers: [handler], api: createScriptedApi().api, log: log.log },
    { DATABASE_URL: `file:${join(home, 'pawl.db')}`, ADMIN_PASSWORD: password },
  )
  const checkPrototypes = watchPrototypes()
  const checkFiles = await watchFiles(folder, /^one(\/two(\/pawl\.db[\w.-]*)?)?$/)

  return {
    attacks,
    async strike({ wire, mayPass }) {
      log.clear()
      const statuses = statusesOf(await exchangeRaw(gateway.adminUrl, wire))
      await mustBeAlive(`${gateway.url}/healthz`)
      checkPrototypes()
      // Nothing here is overloaded, and the ledger is there.
      must(
        statuses.every((status) => status < 500),
        `answered ${statuses.join(', ')}: ${log.text().slice(0, 2_000)}`,
      )
      must(mayPass || statuses.every((status) => status >= 400), 'answered whoever has no password')
      return statuses
    },
    inspect: checkFiles,
    async close() {
      await gateway.close()
      await rm(folder, { recursive: true })
    },
  }
}
