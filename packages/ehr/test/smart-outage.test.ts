import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineHandler } from '../../../src/index.ts'
import { createSmartBackend } from '../src/fhir/auth/smart-backend.ts'
import type { SigningKey } from '../src/fhir/auth/signing-keys.ts'
import type { Ehr } from '../src/ehr.ts'
import { createKeyFolder, type KeyFolder } from '../../../test/support/fhir-keys.ts'
import { hasProvider } from '../../../test/foreign/oidc-provider.ts'
import { clientId, type OAuthServer, scopes, startOAuthServer } from '../../../test/support/oauth-server.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'

let folder: KeyFolder
let key: SigningKey
let server: OAuthServer
let gateway: LocalGateway
beforeEach(async () => {
  folder = await createKeyFolder()
  key = (await folder.make('ES384')).key
  const another = (await folder.make('ES384')).key
  server = await startOAuthServer({ keys: [another.publicKey] })
})
afterEach(async () => {
  await gateway.destroy()
  await server.close()
  await folder.remove()
})

it.skipIf(!hasProvider)(
  'work for an EHR that refuses tokens waits, however many attempts it takes, and is written once the EHR gives one',
  async () => {
    let skipped = 0
    const tokens = createSmartBackend({
      baseUrl: server.baseUrl,
      clientId,
      key,
      scopes: scopes.join(' '),
      // Time goes fast, so that a failure is soon forgotten.
      clock: { now: () => Date.now() + 10_000 * skipped++ },
    })
    const written = new Set<string>()
    let refused = 0
    // The handler of this test calls nothing else.
    const ehr = {
      async putPriorAuthorization({ id }: { id: string }) {
        const token = await tokens.token(new AbortController().signal).catch((error: unknown) => {
          refused += 1
          throw error
        })
        if ((await server.statusFor(token)) === 200) written.add(id)
      },
    } as unknown as Ehr
    const handler = defineHandler({
      name: 'chart',
      on: ['prior_authorization.status_change'],
      handle: ({ resource, ehr: chart }) => chart.putPriorAuthorization(resource),
    })
    const env = { RETRY_ATTEMPTS: '2', BREAKER_COOLDOWN_MS: '50' }
    gateway = await startLocalGateway({ api: createScriptedApi().api, handlers: [handler], ehr }, env)
    // Alone, so that no failures of others show that the EHR is at fault.
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))

    await until('the token was refused often', () => refused > 5)
    expect(await gateway.ledger.counts()).toMatchObject({ parked: 0 })
    server.replaceKeys([key.publicKey])
    await until('it is written', () => written.has('pa_req_1'))
  },
)
