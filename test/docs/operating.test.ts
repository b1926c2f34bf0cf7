import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { defineHandler, PawlError } from '#pawl'
import { type FarSide, startFarSide } from '../../packages/testing/src/far-side.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope, webhookSecret } from '../support/webhook.ts'
import { createPageShell, type PageShell, type Typed } from './page-shell.ts'
import { typedBlocks } from './shell-blocks.ts'

// Forty commands, each a process of its own.
vi.setConfig({ testTimeout: 1_800_000 })

const page = 'docs/operating.md'

class ChartLocked extends PawlError {
  readonly code = 'chart_locked'
}

let gateway: LocalGateway
let hook: FarSide
let folder: string
let shell: PageShell

beforeAll(async () => {
  const handler = defineHandler({
    name: 'prior-authorization-to-ehr',
    on: ['prior_authorization.status_change'],
    async handle() {
      throw new ChartLocked('The chart is open elsewhere.')
    },
  })
  hook = await startFarSide(() => ({ status: 200, body: '' }))
  const env = { ALERT_URL: hook.url }
  gateway = await startLocalGateway({ api: createScriptedApi().api, handlers: [handler] }, env)
  folder = await mkdtemp(join(tmpdir(), 'pawl-operating-'))
  shell = await createPageShell(folder, {})
  await deliver(gateway.url, envelope({ id: 'pa_req_123' }))
})
afterAll(async () => {
  await gateway.destroy()
  await rm(folder, { recursive: true })
  await hook.close()
})

it(`the commands of ${page} do what it says, one after the other`, async () => {
  const env = {
    ADMIN_PORT: new URL(gateway.adminUrl).port,
    PORT: new URL(gateway.url).port,
    WEBHOOK_SECRETS: webhookSecret,
  }
  // The commands find only work that no worker has in progress.
  const before = () =>
    until('it is parked', async () => {
      const { due, parked } = await gateway.ledger.counts()
      return parked === 1 || due === 0 || (await gateway.ledger.pauses()).length > 0
    })
  const typed: Typed[] = []
  for (const block of typedBlocks(page)) typed.push(...(await shell.type(block, { env, before })))
  expect(typed.length).toBeGreaterThan(30)
  for (const { command, code, output } of typed) expect(code, `${command}: ${output}`).toBe(0)
  const told = (start: string) => typed.find(({ command }) => command.startsWith(`npm run pawl -- ${start}`))?.output
  expect(told('parked')).toContain('chart_locked: The chart is open elsewhere.')
  expect(told('retry --resource')).toContain('Due again: 1 piece of work.')
  expect(told('pause ehr')).toMatch(/system ehr: the chart is upgraded until 14:00/)
  expect(told('alerts test')).toContain('url        accepted: http_200')
  expect(told('send')).toMatch(/^202 .*\n200 .*"duplicate":true/m)
})
