import { afterEach, beforeEach, expect, it } from 'vitest'
import { type AnsweringServer, startAnsweringServer } from '../../test/support/answering-server.ts'
import { createTestRun } from '../../test/support/run-context.ts'
import { records } from './records.ts'

let server: AnsweringServer
let asked: string[]
let status: number

beforeEach(async () => {
  asked = []
  status = 200
  server = await startAnsweringServer(({ method, path, body }) => {
    asked.push(`${method} ${path} ${body}`)
    return { status, body: '' }
  })
})
afterEach(() => server.close())

it('puts the record under the id of the resource, and leaves a receipt', async () => {
  const run = createTestRun()
  await records({ RECORDS_URL: server.url }).open(run).put({ status: 'completed' })
  expect(asked).toEqual(['PUT /pa_req_1 {"status":"completed"}'])
  expect(run.receipts).toEqual([{ type: 'Record', id: 'pa_req_1' }])
})

it('says of a refusal whether to try again, and leaves no receipt', async () => {
  const run = createTestRun()
  const port = records({ RECORDS_URL: server.url }).open(run)
  for (const [answered, verdict] of [
    [503, { retry: 'backoff', isOutage: true }],
    [400, { retry: 'never', isOutage: false, mayBeOutage: false }],
    [403, { retry: 'never', isOutage: false, mayBeOutage: true }],
  ] as const) {
    status = answered
    await expect(port.put({})).rejects.toMatchObject(verdict)
  }
  expect(run.receipts).toEqual([])
})

it('tells by its check whether anything answers', async () => {
  const { check } = records({ RECORDS_URL: server.url })
  const { signal } = new AbortController()
  expect(await check?.(signal)).toEqual({ ok: true, findings: ['It answers.'] })
  status = 503
  expect(await check?.(signal)).toEqual({ ok: false, findings: ['RECORDS_URL: HTTP 503.'] })
})

it('without an address refuses to write, and says so', async () => {
  const { open, notice } = records({})
  await expect(open(createTestRun()).put({})).rejects.toMatchObject({ code: 'connector_not_configured' })
  expect(notice).toContain('RECORDS_URL')
  expect(asked).toEqual([])
})
