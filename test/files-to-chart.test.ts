import { expect, it, onTestFinished } from 'vitest'
import { type ChartFile, defineHandler, type Ehr } from '#pawl'
import { shippedHandlers } from '../templates/index.ts'
import { createMemoryEhr } from '../packages/ehr/src/memory/memory-ehr.ts'
import { createSandbox, type Sandbox } from '../packages/sandbox/src/sandbox.ts'
import type { System } from '../packages/connector/src/system.ts'
import { priorAuthorization } from '../packages/sandbox/test/requests.ts'
import { captureLog } from './support/log-capture.ts'
import { startLocalGateway, type LocalGateway } from './support/start-local-gateway.ts'
import { until } from './support/until.ts'
import { webhookSecret } from './support/webhook.ts'

const quarterHourMs = 15 * 60_000

/** A chart in memory that shows which files it was given. */
function createFilingEhr() {
  const memory = createMemoryEhr()
  const files = new Map<string, ChartFile>()
  const system: System<Ehr> = {
    ...memory,
    open(run) {
      const port = memory.open(run)
      return {
        ...port,
        async putMessage(pa, message, given = []) {
          await port.putMessage(pa, message, given)
          for (const file of given) files.set(file.key, file)
        },
        async putFile(subject, file) {
          await port.putFile(subject, file)
          files.set(file.key, file)
        },
      }
    },
  }
  return { system, memory, files }
}

/** Comes before the others, and lets the test hold up a run that has its snapshot already. */
const filing = { before: async () => {} }
const holding = defineHandler({
  name: 'holding',
  on: ['prior_authorization.message'],
  handle: () => filing.before(),
})

/** The service and a pawl that it tells of everything; the service's time stands still. */
async function start(ehr: System<Ehr>, log = captureLog('debug')) {
  const sandbox: Sandbox = createSandbox({ speed: 0, seed: 7 })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const env = { API_BASE_URL: url, API_TOKEN: await sandbox.issueToken(), POLL_INTERVAL_MS: '3600000' }
  const gateway: LocalGateway = await startLocalGateway(
    { ehr, log: log.log, handlers: [holding, ...shippedHandlers] },
    env,
  )
  onTestFinished(() => gateway.destroy())
  sandbox.controls.putWebhook({
    name: 'main',
    url: `${gateway.url}/webhooks`,
    secret: webhookSecret,
    events: [
      'prior_authorization.status_change',
      'prior_authorization.message',
      'prior_authorization.activity_log_updated',
    ],
  })
  const response = await fetch(`${url}/prior-authorization`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env.API_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(priorAuthorization()),
  })
  // The sandbox answers a creation with the id.
  const { data } = (await response.json()) as { data: { id: string } }
  return { sandbox, gateway, id: data.id, log }
}

it('an attachment arrives in the chart although the address in its webhook has expired, and so does a fax', async () => {
  const { system, memory, files } = createFilingEhr()
  const { sandbox, id, log } = await start(system)
  await until('the PA is in the chart', () => memory.resources('Task').length > 0)

  let isHeld = false
  let go = () => {}
  const held = new Promise<void>((resolve) => (go = resolve))
  filing.before = () => {
    isHeld = true
    return held
  }
  const { id: messageId } = sandbox.controls.addMessage(id, {
    content: 'See the form.',
    attachments: [{ fileName: 'form.pdf' }],
  })
  await until('a handler that holds a snapshot', () => isHeld)
  // The snapshot that the handler works on, like the webhook, has an address that is dead when it asks.
  sandbox.controls.setClock({ advanceMs: quarterHourMs })
  go()
  const attachment = await until('the attachment', () => [...files.values()].find(({ kind }) => kind === 'attachment'))
  expect(attachment).toMatchObject({ title: 'form.pdf', contentType: 'application/pdf' })
  expect(attachment.key.startsWith(`${messageId}/`)).toBe(true)
  expect(Buffer.from(attachment.content).toString('latin1')).toContain(`Attachment of ${id}`)
  const { id: faxId } = sandbox.controls.addActivity(id, { type: 'received_fax' })
  expect(await until('the fax', () => files.get(faxId))).toMatchObject({
    kind: 'fax_received',
    title: 'Fax received from the payer',
  })
  expect(log.text()).not.toMatch(/form\.pdf|signature=|\/files\//)
})
