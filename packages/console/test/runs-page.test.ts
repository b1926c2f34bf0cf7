import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineHandler } from '../../../src/index.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'

let gateway: LocalGateway

const size = 60

beforeEach(async () => {
  const on = ['prior_authorization.status_change'] as const
  const chart = defineHandler({
    name: 'chart',
    on: [...on],
    async handle({ resource }) {
      if (resource.id.endsWith('7')) throw Object.assign(new Error('away'), { code: 'ECONNRESET' })
    },
  })
  const billing = defineHandler({ name: 'billing', on: [...on], async handle() {} })
  const env = { RETRY_BASE_MS: '3600000', RETRY_MAX_MS: '3600000' }
  gateway = await startLocalGateway({ api: createScriptedApi().api, handlers: [chart, billing] }, env)
  for (let made = 0; made < size; made++) await deliver(gateway.url, envelope({ id: `pa_req_${made}` }))
  await until('all have run', async () => (await gateway.ledger.listRuns({}, 200)).rows.length === 2 * size)
})
afterEach(() => gateway.destroy())

async function open(path: string) {
  const text = await (await fetch(`${gateway.adminUrl}${path}`)).text()
  const next = /href="(\/runs[^"]*before=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  const links = [...text.matchAll(/href="\/resources\/(pa_req_\d+)"/g)].map(([, id]) => id)
  return { text, links, next }
}

it('the page of runs shows each run once, the newest first, a page at a time, with the story of its resource', async () => {
  const links: (string | undefined)[] = []
  const pages: number[] = []
  for (let path: string | undefined = '/runs'; path !== undefined;) {
    const page = await open(path)
    links.push(...page.links)
    pages.push(page.links.length)
    path = page.next
  }
  expect(pages).toEqual([50, 50, 20])
  expect(new Set(links).size).toBe(size)
  const story = await fetch(`${gateway.adminUrl}/resources/${links[0]}`)
  expect(story.status).toBe(200)
})

it('is filtered by handler, result, resource and time', async () => {
  const failed = await open('/runs?result=failed')
  expect(failed.links).toHaveLength(6)
  expect(failed.text).toContain('ECONNRESET')
  expect((await open('/runs?result=failed&handler=billing')).text).toContain('No runs.')
  expect((await open('/runs?resource=pa_req_7')).links).toEqual(['pa_req_7', 'pa_req_7'])
  expect((await open('/runs?handler=chart&within=1+h')).links).toHaveLength(50)
  expect((await open('/runs?result=of-nothing&within=ever')).links).toHaveLength(50)
  const [newest] = (await gateway.ledger.listRuns({}, 1)).rows
  expect((await gateway.ledger.listRuns({ since: (newest?.finishedAt ?? 0) + 1 }, 10)).rows).toEqual([])
})
