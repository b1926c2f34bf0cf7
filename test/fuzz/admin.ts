import fc from 'fast-check'
import { createScriptedApi } from '../support/scripted-api.ts'
import { must } from './aftermath.ts'
import { startAttackedGateway } from './attacked-gateway.ts'
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
  '/api/sync',
]
const keys = ['since', 'resources', 'resource', 'handler', 'all', 'limit']

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
  .record({ resource: hostileId, handler: hostileId }, { requiredKeys: [] })
  .map((each) => JSON.stringify(each))

/** A request with the password, or without. */
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
    .tuple(fc.constantFrom('/api/retry', '/api/reconcile', '/api/sync'), hostileBody(keys))
    .map(([path, body]) => request('POST', path, body)),
  since.map((body) => request('POST', '/api/reconcile', body)),
  resources.map((body) => request('POST', '/api/sync', body)),
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
    body: '{"resource":"pa_req_1"}',
  }).map((wire) => ({ name: 'HTTP, with the password', wire, mayPass: true })),
)

/** The admin listener of a gateway in this process, with a password. */
export async function startAdminTarget(): Promise<Target> {
  const { gateway, log, mustBeUnharmed, checkFiles, close } = await startAttackedGateway(
    { ADMIN_PASSWORD: password },
    createScriptedApi().api,
  )

  return {
    attacks,
    async strike({ wire, mayPass }) {
      log.clear()
      const statuses = statusesOf(await exchangeRaw(gateway.adminUrl, wire))
      await mustBeUnharmed()
      // Nothing here is overloaded, and the ledger is there.
      must(
        statuses.every((status) => status < 500),
        `answered ${statuses.join(', ')}: ${log.text().slice(0, 2_000)}`,
      )
      must(mayPass || statuses.every((status) => status >= 400), 'answered a request without a password')
      return statuses
    },
    inspect: checkFiles,
    close,
  }
}
