import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { defineHandler, PawlError } from '#pawl'
import { type AnsweringServer, startAnsweringServer } from '../support/answering-server.ts'
import { runCommand } from '../support/run-command.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startTestGateway, type TestGateway } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope, webhookSecret } from '../support/webhook.ts'
import { readPage } from './readme-examples.ts'

class ChartLocked extends PawlError {
  readonly code = 'chart_locked'
}

let gateway: TestGateway
let hook: AnsweringServer

beforeAll(async () => {
  const handler = defineHandler({
    name: 'prior-authorization-to-ehr',
    on: ['prior_authorization.status_change'],
    async handle() {
      throw new ChartLocked('The chart is open elsewhere.')
    },
  })
  hook = await startAnsweringServer(() => ({ status: 200, body: '' }))
  const env = { ALERT_SLACK_URL: hook.url }
  gateway = await startTestGateway({ api: createScriptedApi().api, handlers: [handler] }, env)
  vi.stubEnv('WEBHOOK_SECRETS', webhookSecret)
  vi.stubEnv('PORT', new URL(gateway.url).port)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await gateway.destroy()
  await hook.close()
})

it('the commands of docs/operating.md do what it says, one after the other', async () => {
  const page = await readPage('docs/operating.md')
  const examples = [...page.matchAll(/^npm run pawl -- (.*)$/gm)].map(([, line = '']) => line)
  expect(examples.length).toBeGreaterThan(20)
  await deliver(gateway.url, envelope({ id: 'pa_req_123' }))
  const printed = new Map<string, string>()
  for (const example of examples) {
    // What they find is what nobody works on at the moment.
    await until('it is parked', async () => {
      const { due, parked } = await gateway.ledger.counts()
      return parked === 1 || due === 0 || (await gateway.ledger.holds()).length > 0
    })
    const args = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)
    printed.set(example, await runCommand(gateway.adminUrl, ...args))
  }
  const told = (start: string) => [...printed].find(([example]) => example.startsWith(start))?.[1]
  expect(told('parked')).toContain('chart_locked: The chart is open elsewhere.')
  expect(told('retry --resource')).toBe('Due again: 1 resource.')
  expect(told('pause ehr')).toMatch(/system ehr for \d+ s: the chart is upgraded until 14:00/)
  expect(told('alerts test')).toBe('slack      took it: http_200')
  expect(told('send')).toMatch(/^202 .*\n200 .*"duplicate":true/)
})
