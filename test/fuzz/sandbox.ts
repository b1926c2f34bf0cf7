import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createSandbox } from '../../packages/sandbox/src/sandbox.ts'
import { must, mustBeAlive, watchFiles, watchPrototypes } from './aftermath.ts'
import { hostileHttp } from './hostile-http.ts'
import { hostileBody, hostileId, hostileSegment, wellFormed } from './hostile-text.ts'
import { goodToken, hostileToken } from './hostile-tokens.ts'
import { atOnce, exchangeRaw, requestText, statusesOf } from './raw-http.ts'
import type { Attack, Target } from './target.ts'

const tokenKey = 'a-key-for-the-fuzz-of-at-least-32-characters'

/** `{}` takes an id. */
const operations = [
  'POST /benefit-verification',
  'GET /benefit-verification/{}',
  'POST /benefit-verification/{}/cancel',
  'POST /clinical-qualification',
  'GET /clinical-qualification/{}',
  'POST /enrollment/patient-enrollment',
  'POST /pa-status',
  'GET /pa-status/{}',
  'POST /prior-authorization',
  'GET /prior-authorization/{}',
  'GET /prior-authorization/{}/outreach',
  'POST /prior-authorization/{}/activities',
  'POST /prior-authorization/{}/cancel',
  'POST /prior-authorization/{}/feedback',
  'POST /prior-authorization/{}/messages',
  'PATCH /prior-authorization/{}/ndp-submission',
  'POST /prior-authorization/{}/review',
  'POST /prior-authorization/{}/transfer',
  'POST /provider/authorize',
  'POST /provider/lookup',
  'GET /authorized-providers',
  'GET /status',
  'GET /documents/{}',
  'GET /_sandbox/truth',
  'POST /_sandbox/resources/{}/cancel',
  'POST /_sandbox/resources/{}/push',
  'POST /_sandbox/resources/{}/redeliver-stale',
  'POST /_sandbox/deliveries/{}/redeliver',
  'GET /_sandbox/deliveries',
  'GET /_sandbox/deliveries/{}',
  'PATCH /_sandbox/chaos',
  'PATCH /_sandbox/clock',
  'GET /_sandbox/organizations/{}',
  'PATCH /_sandbox/organizations/{}',
  'PATCH /_sandbox/organizations/{}/quotas',
  'PATCH /_sandbox/organizations/{}/webhooks/{}',
  'PUT /_sandbox/organizations/{}/failures',
  'DELETE /_sandbox/organizations/{}/failures',
  'PUT /_sandbox/organizations/{}',
  'PUT /_sandbox/organizations/{}/quotas',
  'PUT /_sandbox/organizations/{}/webhooks',
  'DELETE /_sandbox/organizations/{}/webhooks/{}',
  'POST /_sandbox/tokens',
  'POST /_sandbox/tokens/revoke',
]
const keys = (
  'patient prescription provider insurance drugs name date_of_birth npi content file_url ' +
  'organization token webhooks url secret events settings quotas status'
).split(' ')

const call = (operation: string, segment: string, body: Buffer | string, token: string): Attack => {
  const [method = '', template = ''] = operation.split(' ')
  const path = template.replaceAll('{}', () => segment)
  return {
    name: `${method} ${path.slice(0, 200)} ${body.toString().slice(0, 200)}`,
    wire: atOnce(
      requestText(
        { method, path, headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` } },
        body,
      ),
    ),
    mayPass: true,
  }
}

function attacksWith(token: string, ids: readonly string[]): fc.Arbitrary<Attack> {
  const operation = fc.constantFrom(...operations)
  const segment = fc.oneof(fc.constantFrom(...ids), hostileSegment)
  return fc.oneof(
    fc.tuple(operation, segment, hostileBody(keys)).map(([each, id, body]) => call(each, id, body, token)),
    fc
      .tuple(operation, segment, hostileId)
      .map(([each, id, text]) =>
        call(`${each}?limit=${encodeURIComponent(wellFormed(text)).slice(0, 500)}`, id, '{}', token),
      ),
    fc
      .tuple(fc.constantFrom('GET /status', 'GET /prior-authorization/{}'), hostileToken(tokenKey))
      .map(([each, hostile]) => ({ ...call(each, 'pa_req_1', '', hostile.token), mayPass: hostile.mayPass })),
    hostileHttp({
      path: '/prior-authorization',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{}',
    }).map((wire) => ({ name: 'HTTP', wire, mayPass: true })),
  )
}

/** A sandbox in this process that keeps its data in a file and delivers nothing. */
export async function startSandboxTarget(): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-fuzz-'))
  const sandbox = createSandbox({
    seed: 1,
    speed: 0,
    data: join(folder, 'sandbox.db'),
    tokens: { key: tokenKey },
    fetch: async () => new Response(null, { status: 200 }),
  })
  const { url } = await sandbox.listen()
  const token = await sandbox.issueToken()
  const checkPrototypes = watchPrototypes()
  const checkFiles = await watchFiles(folder, /^sandbox\.db[\w.-]*$/)

  return {
    attacks: attacksWith(token, ['org_demo', goodToken(tokenKey)]),
    async strike({ wire, mayPass }) {
      const answers = await exchangeRaw(url, wire)
      const statuses = statusesOf(answers)
      await mustBeAlive(`${url}/_sandbox/clock`)
      checkPrototypes()
      must(
        statuses.every((status) => status < 500),
        `answered ${statuses.join(', ')}: ${answers.slice(0, 1_000)}`,
      )
      must(mayPass || statuses.every((status) => status >= 400), 'answered a request without a token')
      return statuses
    },
    inspect: checkFiles,
    async close() {
      await sandbox.close()
      await rm(folder, { recursive: true })
    },
  }
}
