import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createAdminClient } from '../../console/src/commands/admin-client.ts'
import { type ForwardDeps, forwardEvents } from '../src/commands/forward-events.ts'
import { contract } from '../../console/src/contract/contract.ts'
import { startFarSide } from '../../testing/src/far-side.ts'
import { runPawl } from '../../../test/support/run-script.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'

const ownSecret = 'a-secret-of-the-developer-of-32-characters'
const staff = { ADMIN_PASSWORD: 'a-password-of-staging' }

let folder: string
let staging: LocalGateway
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-forward-'))
  staging = await startLocalGateway({}, staff)
  onTestFinished(() => rm(folder, { recursive: true }))
  onTestFinished(staging.destroy)
})
const happen = (id: string) => deliver(staging.url, envelope({ id, patient: { first_name: 'Testa' } }))

const forward = (to: string, args: string[] = [], env: Record<string, string> = {}) =>
  runPawl(['forward', '--from', staging.adminUrl, '--to', to, '--cursor', join(folder, 'cursor.json'), ...args], {
    WEBHOOK_SECRETS: ownSecret,
    ...staff,
    ...env,
  })

/** The receiver of a developer. */
async function startOwnReceiver() {
  const farSide = await startFarSide(() => ({ status: 200 }))
  onTestFinished(farSide.close)
  return { bodies: () => farSide.requests.map(({ body }) => body), url: `${farSide.url}/webhooks` }
}

it('pawl forward sends only ids and types, begins with new events, and resumes at its cursor', async () => {
  const { bodies, url } = await startOwnReceiver()
  await happen('pa_req_1')
  expect(await forward(url, ['--once'])).toMatchObject({ code: 0, output: '' })
  await happen('pa_req_2')
  await happen('pa_req_3')
  await deliver(staging.url, envelope({ id: 'pa_req_4' }, 'something.undocumented'))
  const { code, output } = await forward(url, ['--once'])
  expect({ code, output }).toEqual({
    code: 0,
    output: `200  prior_authorization.status_change  pa_req_2\n200  prior_authorization.status_change  pa_req_3\n`,
  })
  expect(await forward(url, ['--once'])).toMatchObject({ code: 0, output: '' })
  const description = 'A hint of another gateway, sent with pawl forward'
  expect(bodies().map((body) => JSON.parse(body) as unknown)).toEqual(
    ['pa_req_2', 'pa_req_3'].map((id) => ({
      title: 'Forwarded',
      description,
      event_id: expect.stringMatching(/^forwarded-\d+$/),
      event_type: 'prior_authorization.status_change',
      data: { id },
    })),
  )
})

it('pawl forward makes the resource due at a gateway with another secret, once per event', async () => {
  const own = await startLocalGateway({}, { WEBHOOK_SECRETS: ownSecret })
  onTestFinished(own.destroy)
  const to = `${own.url}/webhooks`
  await forward(to, ['--once'])
  await happen('pa_req_1')
  const cursor = await readFile(join(folder, 'cursor.json'))
  expect(await forward(to, ['--once', '--json'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('"status":202'),
  })
  // As if it had been killed after the delivery.
  await writeFile(join(folder, 'cursor.json'), cursor)
  expect(await forward(to, ['--once', '--json'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('"status":200'),
  })
  const callAdmin = createAdminClient(() => ({ url: own.adminUrl, password: undefined }))
  expect((await callAdmin(contract.events)).events).toMatchObject([{ resourceId: 'pa_req_1', repeats: 1 }])
  // The next change of the same resource is no copy, though its hint has the same id and type.
  await deliver(staging.url, envelope({ id: 'pa_req_1', status: 'completed' }))
  expect(await forward(to, ['--once', '--json'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('"status":202'),
  })

  await happen('pa_req_2')
  const refused = await forward(to, ['--once'], { WEBHOOK_SECRETS: 'a-wrong-secret-of-more-than-32-characters' })
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('set WEBHOOK_SECRETS to its newest secret') })
})

it('pawl forward refuses another machine by default, a wrong password and an invalid cursor', async () => {
  expect(await forward('http://192.0.2.7/webhooks', ['--once'])).toMatchObject({
    code: 2,
    err: 'http://192.0.2.7/webhooks is on another machine: pass --allow-remote if hints may go there.\n',
  })
  const { url } = await startOwnReceiver()
  expect(await forward(url, ['--once'], { ADMIN_PASSWORD: 'another-password' })).toMatchObject({
    code: 1,
    err: expect.stringContaining('refused: set ADMIN_PASSWORD'),
  })
  await writeFile(join(folder, 'cursor.json'), 'none')
  expect(await forward(url, ['--once'])).toMatchObject({ code: 2, err: expect.stringContaining('holds no cursor') })
})

it('pawl forward waits while the receiver is away, restarts with another ledger, and reports each once', async () => {
  const callAdmin = createAdminClient(() => ({ url: staging.adminUrl, password: staff.ADMIN_PASSWORD }))
  const notes: string[] = []
  const done: (string | undefined)[] = []
  let after: number | undefined = 1_000
  let answers = 0
  const deps: ForwardDeps = {
    callAdmin,
    async deliver() {
      answers += 1
      if (answers === 1) return { status: undefined, body: 'Nothing answers.' }
      return answers === 2 ? { status: 503, body: 'not now' } : { status: 202, body: {} }
    },
    cursor: { read: async () => after, write: async (id) => void (after = id) },
    onForwarded: ({ resourceId }) => done.push(resourceId),
    note: (note) => notes.push(note),
  }
  await forwardEvents(deps, { once: true })
  expect(notes.splice(0)).toEqual([expect.stringMatching(/begins anew .* the last forwarded was 1000/)])
  await happen('pa_req_1')
  const ended = forwardEvents({ ...deps, callAdmin: endingAfter(2, callAdmin) }, { once: false }).catch(
    (error: unknown) => error,
  )
  await until('the hint is there', () => done.length > 0 || undefined)
  expect(done).toEqual(['pa_req_1'])
  expect(notes).toEqual(['Nothing answers.', 'The gateway of --to accepts deliveries again.'])
  expect(await ended).toMatchObject({ message: 'the test ends' })
})

/** Asks so many times; the next rejects with an error that is not the gateway's. */
function endingAfter(times: number, callAdmin: ForwardDeps['callAdmin']): ForwardDeps['callAdmin'] {
  let asked = 0
  return async (route, ...sent) => {
    asked += 1
    if (asked > times) throw new Error('the test ends')
    return callAdmin(route, ...sent)
  }
}
