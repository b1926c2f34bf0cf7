import { afterEach, beforeEach, it } from 'vitest'
import { defineHandler } from '../../../../src/index.ts'
import { captureLog, type LogCapture } from '../../../../test/support/log-capture.ts'
import { describeOnPostgres } from '../../../../test/support/postgres.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../../../../test/support/redis.ts'
import { startLocalGateway, type LocalGateway } from '../../../../test/support/start-local-gateway.ts'
import { until } from '../../../../test/support/until.ts'
import { deliver, envelope } from '../../../../test/support/webhook.ts'
import { json, type ScriptedService, startScriptedService } from './scripted-service.ts'

/** The token of the one process that the service tells that nothing is left. */
const toldToken = 'token-of-the-told'

interface Process extends LocalGateway {
  log: LogCapture
}

/** Two processes whose common ground is these settings. Which of them claims a resource is left open. */
function itSharesItsBudget(common: () => Promise<Record<string, string>>): void {
  let service: ScriptedService
  let processes: Process[]

  beforeEach(async () => {
    service = await startScriptedService()
    service.play((response, request) => {
      const id = request.url?.split('/').at(-1) ?? ''
      const headers: Record<string, string> = {
        'RateLimit-Policy': '"read-endpoint-minute";q=100;w=60',
        RateLimit: '"read-endpoint-minute";r=0;t=60',
        'Retry-After': '3600',
      }
      const answer = { status: 'success', data: { id, status: 'processing' } }
      const isTold = request.headers.authorization === `Bearer ${toldToken}`
      json(200, answer, isTold ? headers : {})(response, request)
    })
    const handler = defineHandler({ name: 'chart', on: ['prior_authorization.status_change'], async handle() {} })
    const env = { API_BASE_URL: service.baseUrl, ...(await common()), LOG_LEVEL: 'debug' }
    const start = async (token: string) => {
      const log = captureLog()
      const settings = { ...env, API_TOKEN: token }
      return { ...(await startLocalGateway({ handlers: [handler], log: log.log }, settings)), log }
    }
    processes = [await start(toldToken), await start('token-of-the-other')]
  })
  afterEach(async () => {
    for (const each of processes) await each.destroy()
    await service[Symbol.asyncDispose]()
  })

  it('a budget that one process used up stops the other', async () => {
    const [told, other] = processes
    if (told === undefined || other === undefined) throw new Error('two processes')
    let sent = 0
    // A process without a connection to the store calls unreckoned: then both try again.
    await until('the other knows that nothing is left', async () => {
      sent += 1
      await deliver(told.url, envelope({ id: `pa_req_told_${sent}` }))
      await deliver(other.url, envelope({ id: `pa_req_other_${sent}` }))
      return other.log.text().includes('rate_budget_spent')
    })
  })
}

describeWithRedis('two gateways with one Redis', () => {
  let redis: TestRedis
  beforeEach(async () => {
    redis = await startRedis()
  })
  afterEach(() => redis.close())
  itSharesItsBudget(() => Promise.resolve({ QUEUE_URL: redis.url }))
})

describeOnPostgres('two gateways with one PostgreSQL', (createLedgerDatabase) => {
  itSharesItsBudget(async () => ({ DATABASE_URL: await createLedgerDatabase() }))
})
