import express, { type RequestHandler } from 'express'
import request from 'supertest'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createAnswerFailure } from '../../src/net/answer-failure.ts'
import { createSampledLog } from '../../src/sampled-log.ts'
import { captureLog } from '../../../../test/support/log-capture.ts'

/** An app whose only handler fails, as in production: there Express's own last handler prints errors. */
function failing(handler: RequestHandler) {
  const printed = vi.spyOn(console, 'error')
  onTestFinished(() => printed.mockRestore())
  const log = captureLog()
  const sampledLog = createSampledLog({ log: log.log })
  const app = express().set('env', 'production').use(handler)
  app.use(createAnswerFailure({ component: 'test', sampledLog, unavailable: 'Not now.' }))
  return { app, log, printed }
}

it('an error of a route is 503 with the sentence of its listener, logged without the text of the error', async () => {
  const { app, log, printed } = failing(() => {
    throw new Error('Jane Sample is not a number')
  })
  const { status, body } = await request(app).get('/')
  expect([status, body]).toEqual([503, { error: { code: 'unavailable', message: 'Not now.' } }])
  expect(log.lines()).toMatchObject([{ component: 'test', status: 503, msg: 'request failed' }])
  expect(log.text()).not.toContain('Sample')
  expect(printed).not.toHaveBeenCalled()
})

it('an error after the answer has begun cuts it off and is logged, without a word on stderr', async () => {
  const { app, log, printed } = failing((_req, res) => {
    res.write('half')
    throw new Error('Jane Sample is not a number')
  })
  await expect(request(app).get('/')).rejects.toThrow(/aborted|hang up/)
  await new Promise((resolve) => setImmediate(resolve))
  expect(log.lines()).toMatchObject([{ component: 'test', msg: 'request failed' }])
  expect(printed).not.toHaveBeenCalled()
})
