import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { smtpConnectionOf } from '#pawl/connector'
import { type MailServerOptions, startMailServer } from '../../test/support/mail-server.ts'
import { needs } from '../../test/support/needs.ts'
import { createTestRun } from '../../test/support/run-context.ts'
import { type MailOptions, mail } from './mail.ts'
import { type MailSettings, mailSettings } from './mail-settings.ts'

const execute = promisify(execFile)
async function start(options: MailServerOptions = {}) {
  const server = await startMailServer(options)
  onTestFinished(() => server.close())
  return server
}

/** The system with an address of its own. */
function systemAt(url: string, different: Partial<MailSettings> = {}, options: MailOptions = {}) {
  const settings = { MAIL_FROM: 'pawl@clinic.example', MAIL_TO: 'desk@clinic.example', MAIL_PLAINTEXT: false }
  return mail({ ...settings, MAIL_URL: url, ...different }, options)
}

const text = { key: 'news', subject: 'pa_req_1 ended', text: 'pa_req_1 ended' }
const unquoted = expect.not.stringMatching(/Testa|127\.0\.0\.1|0\.0\.0\.0|clinic/)

it('leaves a receipt of what the server took', async () => {
  const { port, mails } = await start()
  const run = createTestRun()
  await systemAt(`smtp://127.0.0.1:${port}`).open(run).send(text)
  expect(mails).toHaveLength(1)
  expect(run.receipts).toEqual([{ type: 'Mail', id: expect.stringMatching(/^<\w{32}@clinic\.example>$/) }])
})

for (const at of ['from', 'to', 'data'] as const) {
  it(`tries later what is refused for now, and parks what is refused for good: ${at}`, async () => {
    const refusals = [
      { at, code: 451 },
      { at, code: 550 },
    ]
    const { port, mails } = await start({ refusals })
    const run = createTestRun()
    const ours = systemAt(`smtp://127.0.0.1:${port}`).open(run)
    await expect(ours.send(text)).rejects.toMatchObject({ retry: 'backoff', isOutage: false, message: unquoted })
    const isOfAllMail = at !== 'data'
    await expect(ours.send(text)).rejects.toMatchObject({
      retry: 'never',
      isOutage: false,
      mayBeOutage: isOfAllMail,
      message: unquoted,
    })
    expect([mails, run.receipts]).toEqual([[], []])
    await ours.send(text)
    expect(mails).toHaveLength(1)
  })
}

it('takes a login that is refused, a server that closes, and one that is not there for outages', async () => {
  const outage = { retry: 'backoff', isOutage: true, message: unquoted }
  const refused = await start({ allowInsecureAuth: true, onAuth: (_auth, _session, done) => done(new Error('Testa')) })
  const login = systemAt(`smtp://user:a%40word@127.0.0.1:${refused.port}`)
  await expect(login.open(createTestRun()).send(text)).rejects.toMatchObject(outage)
  const closing = await start({ refusals: [{ at: 'greeting', code: 421 }] })
  await expect(systemAt(`smtp://127.0.0.1:${closing.port}`).open(createTestRun()).send(text)).rejects.toMatchObject(
    outage,
  )
  await closing.close()
  await expect(systemAt(`smtp://127.0.0.1:${closing.port}`).open(createTestRun()).send(text)).rejects.toMatchObject(
    outage,
  )
})

it('gives the user and password of the address, decoded', async () => {
  const logins: unknown[] = []
  const { port } = await start({
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      logins.push([username, password])
      done(null, { user: username })
    },
  })
  await systemAt(`smtp://user:a%40word@127.0.0.1:${port}`).open(createTestRun()).send(text)
  expect(logins).toEqual([['user', 'a@word']])
})

describe('a server that says nothing', () => {
  async function startSilence() {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const sockets: { destroy(): void }[] = []
    server.on('connection', (socket) => sockets.push(socket))
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    })
    const address = server.address()
    return `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  }

  it('is given up in time, as an outage', async () => {
    const system = systemAt(await startSilence(), {}, { timeoutMs: 100 })
    await expect(system.open(createTestRun()).send(text)).rejects.toMatchObject({ retry: 'backoff', isOutage: true })
  })

  it('is given up with the run, and does not count as an outage', async () => {
    const abort = new AbortController()
    const sent = systemAt(await startSilence())
      .open(createTestRun({ signal: abort.signal }))
      .send(text)
    abort.abort()
    await expect(sent).rejects.toMatchObject({ retry: 'backoff', isOutage: false })
  })
})

it('sends nothing once the run may not act', async () => {
  const { port, mails } = await start()
  const assertMayAct = () => {
    throw new Error('lost')
  }
  await expect(systemAt(`smtp://127.0.0.1:${port}`).open(createTestRun({ assertMayAct })).send(text)).rejects.toThrow(
    'lost',
  )
  expect(mails).toEqual([])
})

describe('beyond this machine', () => {
  // Not known as this machine's, though it leads there.
  const elsewhere = (port: number) => `smtp://0.0.0.0:${port}`

  it('nothing is sent to a server without TLS, unless it is allowed', async () => {
    const { port, mails } = await start()
    await expect(systemAt(elsewhere(port)).open(createTestRun()).send(text)).rejects.toMatchObject({
      retry: 'backoff',
      isOutage: true,
      message: expect.stringContaining('did not change to TLS'),
    })
    expect(mails).toEqual([])
    await systemAt(elsewhere(port), { MAIL_PLAINTEXT: true }).open(createTestRun()).send(text)
    expect(mails).toMatchObject([{ isEncrypted: false }])
  })

  describe.skipIf(needs('openssl') === undefined)('with a certificate', () => {
    let folder: string
    let cert: string
    let key: string
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'pawl-mail-'))
      const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
      const subject = ['-subj', '/CN=mail', '-addext', 'subjectAltName=IP:0.0.0.0']
      await execute('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files])
      cert = await readFile(join(folder, 'cert.pem'), 'utf8')
      key = await readFile(join(folder, 'key.pem'), 'utf8')
    })
    afterAll(() => rm(folder, { recursive: true }))

    it('that an authority signed, mail travels encrypted, by STARTTLS and by TLS from the start', async () => {
      for (const secure of [false, true]) {
        const { port, mails } = await start({ cert, key, secure })
        const url = secure ? elsewhere(port).replace('smtp:', 'smtps:') : elsewhere(port)
        const system = systemAt(url, {}, { ca: cert })
        await system.open(createTestRun()).send(text)
        expect(mails).toMatchObject([{ isEncrypted: true }])
        expect(await system.check?.(new AbortController().signal)).toMatchObject({ ok: true })
      }
    })

    it('that no trusted authority signed, no mail is sent', async () => {
      for (const secure of [false, true]) {
        const { port, mails } = await start({ cert, key, secure })
        const url = secure ? elsewhere(port).replace('smtp:', 'smtps:') : elsewhere(port)
        await expect(systemAt(url).open(createTestRun()).send(text)).rejects.toMatchObject({ isOutage: true })
        expect(mails).toEqual([])
      }
    })
  })
})

it('tells by its check whether the server answers, and changes nothing', async () => {
  const { port, mails, close } = await start()
  const { check } = systemAt(`smtp://127.0.0.1:${port}`)
  const { signal } = new AbortController()
  expect(await check?.(signal)).toEqual({ ok: true, findings: ['It answers, and takes the login.'] })
  await close()
  expect(await check?.(signal)).toMatchObject({ ok: false, findings: [expect.stringMatching(/^MAIL_URL: no conn/)] })
  expect(mails).toEqual([])
})

it('without an address, a sender or a receiver refuses to send, and says so', async () => {
  for (const missing of ['MAIL_URL', 'MAIL_FROM', 'MAIL_TO']) {
    const { open, notice } = systemAt('smtp://127.0.0.1:1', { [missing]: undefined })
    await expect(open(createTestRun()).send(text)).rejects.toMatchObject({ code: 'connector_not_configured' })
    expect(notice).toContain(missing)
  }
})

it('knows this machine by its names, and each protocol by its port', () => {
  expect(smtpConnectionOf('smtp://localhost', false)).toMatchObject({ port: 587, ignoreTLS: true, requireTLS: false })
  expect(smtpConnectionOf('smtp://[::1]:25', false)).toMatchObject({ host: '::1', port: 25, ignoreTLS: true })
  expect(smtpConnectionOf('smtp://mail.example', false)).toMatchObject({ requireTLS: true, ignoreTLS: false })
  expect(smtpConnectionOf('smtp://127.0.0.1.mail.example', false)).toMatchObject({ requireTLS: true })
  expect(smtpConnectionOf('smtps://mail.example', false)).toMatchObject({ port: 465, secure: true })
})

it('takes no address of another kind, and none with options', () => {
  const Settings = z.object(mailSettings)
  for (const url of ['https://mail.example', 'smtp://mail.example?tls=no', 'mail.example'])
    expect(Settings.safeParse({ MAIL_URL: url }).success).toBe(false)
  expect(Settings.parse({ MAIL_URL: 'smtp://mail.example', MAIL_PLAINTEXT: 'true' }).MAIL_PLAINTEXT).toBe(true)
})
