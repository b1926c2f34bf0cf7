import { Command } from 'commander'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { createAdminClient } from '../../packages/console/src/commands/admin-client.ts'
import { addHandlersCommand } from '../../src/cli/handlers-command.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

const handlers = [
  defineHandler({ name: 'chart', on: ['prior_authorization.status_change'], handle: async () => {} }),
  defineHandler({
    name: 'ledger-of-benefits',
    on: ['benefit_verification.status_change', 'prior_authorization.message'],
    mode: 'each',
    handle: async () => {},
  }),
]
let gateway: LocalGateway

beforeEach(async () => {
  gateway = await startLocalGateway({ api: createScriptedApi().api, handlers })
})
afterEach(() => gateway.destroy())

async function pawl(...args: string[]): Promise<string> {
  const lines: string[] = []
  const ask = createAdminClient(() => ({ url: gateway.adminUrl, password: undefined }))
  const program = new Command().exitOverride()
  addHandlersCommand(program, { ask, print: (line) => void lines.push(line), load: async () => handlers })
  await program.parseAsync(args, { from: 'user' })
  return lines.join('\n')
}

it('handlers shows which handler follows which events, in which mode, the last run, and events without a handler', async () => {
  await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
  await until('it ran', async () => (await gateway.ledger.lastRuns()).length === 1)
  const printed = await pawl('handlers')
  expect(printed).toMatch(/^handler +mode +last run +follows$/m)
  expect(printed).toMatch(/^chart +latest +succeeded \d+ s ago +prior_authorization\.status_change$/m)
  expect(printed).toMatch(
    /^ledger-of-benefits +each +- +benefit_verification\.status_change, prior_authorization\.message$/m,
  )
  expect(printed).toMatch(/^Without a handler: prior_authorization\.activity_log_updated, /m)
  expect(printed).not.toMatch(/^Without a handler: .*message/m)
  expect(printed).not.toContain('Last runs are not known')
})

it('handlers --json gives the same to a program', async () => {
  await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
  await until('it ran', async () => (await gateway.ledger.lastRuns()).length === 1)
  const answer: unknown = JSON.parse(await pawl('handlers', '--json'))
  expect(answer).toMatchObject({
    handlers: [
      {
        name: 'chart',
        mode: 'latest',
        lastRun: { result: 'succeeded' },
        follows: ['prior_authorization.status_change'],
      },
      { name: 'ledger-of-benefits', mode: 'each' },
    ],
    unfollowed: expect.arrayContaining(['prior_authorization.provider_outreach_change']),
  })
})

it('handlers does without the last runs where no pawl answers', async () => {
  await gateway.close()
  const printed = await pawl('handlers')
  expect(printed).toMatch(/^chart +latest +- +/m)
  expect(printed).toContain('Last runs are not known. No pawl answers at')
})
