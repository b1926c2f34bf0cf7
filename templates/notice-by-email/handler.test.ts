import { expect, it, onTestFinished } from 'vitest'
import type { System } from '#pawl'
import {
  aPriorAuthorization,
  approved,
  createHandlerStand,
  expectIdempotent,
  runHandler,
  type RunOptions,
} from '#pawl/testing'
import { type MailServerOptions, startMailServer } from '../../test/support/mail-server.ts'
import handler from './handler.ts'
import { type Mail, mail } from './mail.ts'

// The compiler cannot see what the integration of a fork lists.
const listed = (port: System<Mail> | Mail) => ({ mail: port }) as RunOptions['systems']

/** A mail server, and a system that sends to it. */
async function start(options: MailServerOptions = {}) {
  const server = await startMailServer(options)
  onTestFinished(() => server.close())
  const settings = { MAIL_FROM: 'pawl@clinic.example', MAIL_TO: 'desk@clinic.example', MAIL_PLAINTEXT: false }
  return { ...server, systems: listed(mail({ ...settings, MAIL_URL: `smtp://127.0.0.1:${server.port}` })) }
}

const to = aPriorAuthorization({ id: 'pa_req_1', status: 'completed', outcome: approved() })
const messageIdOf = (text = '') => /^Message-ID: (.*)$/m.exec(text)?.[1]

it('tells a result once, by id and codes, and nothing of the patient', async () => {
  const { systems, mails } = await start()
  const first = await runHandler(handler, { to, systems })
  await runHandler(handler, { to, after: first, systems })
  expect(mails).toHaveLength(1)
  const [{ text } = { text: '' }] = mails
  expect(text).toContain('Subject: Prior authorization pa_req_1: completed, Approved, approval.')
  expect(text).toContain('From: pawl@clinic.example\r\nTo: desk@clinic.example\r\n')
  expect(text).toContain('Auto-Submitted: auto-generated')
  const { first_name = '?', last_name = '?' } = to.patient ?? {}
  for (const word of [first_name, last_name, to.prescription?.drug_name ?? '?', to.outcome?.detail ?? '?'])
    expect(text).not.toContain(word)
})

it('tells a result that changed, under another Message-ID', async () => {
  const { systems, mails } = await start()
  const waiting = await runHandler(handler, {
    to: aPriorAuthorization({ status: 'awaiting_review' }),
    systems,
  })
  await runHandler(handler, { to, after: waiting, systems })
  const [one, other] = mails.map(({ text }) => messageIdOf(text))
  expect(one).toMatch(/^<[0-9a-f]{32}@clinic\.example>$/)
  expect(other).not.toBe(one)
})

it('leaves alone what runs, and what was cancelled', async () => {
  const { systems, mails } = await start()
  for (const status of ['created', 'processing', 'validating_outcome', 'cancelled'] as const)
    await runHandler(handler, { to: aPriorAuthorization({ status }), systems })
  expect(mails).toEqual([])
})

it('sends again, under the same Message-ID, what the server may have taken', async () => {
  const { systems, mails } = await start({ onTaken: (cut) => cut() })
  const stand = createHandlerStand()
  await expect(runHandler(handler, { to, after: stand, systems })).rejects.toMatchObject({
    retry: 'backoff',
    isOutage: true,
  })
  await expect(runHandler(handler, { to, after: stand, systems })).rejects.toThrow('mail server')
  expect(new Set(mails.map(({ text }) => messageIdOf(text))).size).toBe(1)
  expect(mails).toHaveLength(2)
})

it('may run again, and may fail anywhere', () =>
  expectIdempotent(handler, { to, systems: listed({ send: async () => undefined }) }))

it('parks where the mail server is not listed', async () => {
  await expect(runHandler(handler, { to })).rejects.toMatchObject({
    retry: 'never',
    message: 'List the system mail in src/integration/index.ts.',
  })
})
