import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { priorAuthorization } from '../packages/sandbox/src/documents/request-examples.ts'
import { sendAll } from './load.ts'

const usage = `npm run bench:sandbox -- [--count 4000] [--connections 16] [--data FILE]
Creates PAs as fast as a sandbox takes them, runs each to its end, and has all of its webhooks delivered to a local receiver.
The sandbox, the receiver and this client are processes of their own.
`

interface Count {
  deliveries: number
  completed: number
  lastAt: number
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '4000' },
    connections: { type: 'string', default: '16' },
    data: { type: 'string' },
    help: { type: 'boolean' },
  },
})

const children: ChildProcess[] = []
try {
  if (values.help === true) process.stdout.write(usage)
  else await measure(Number(values.count), Number(values.connections), values.data)
} finally {
  for (const child of children) child.kill('SIGKILL')
}

async function measure(count: number, connections: number, data: string | undefined): Promise<void> {
  const receiver = fork(new URL('servers/webhook-receiver.ts', import.meta.url))
  children.push(receiver)
  const [{ port }] = await once(receiver, 'message')
  const sandbox = await startSandbox(`http://127.0.0.1:${port}/webhooks`, data)
  // The first calls pay for compiling.
  await create(sandbox, 200, connections)
  await waitFor(receiver, 200)
  const before = await ask(receiver)

  const startedAt = Date.now()
  const { rate, statuses } = await create(sandbox, count, connections)
  const after = await waitFor(receiver, 200 + count)
  const seconds = (after.lastAt - startedAt) / 1_000
  const deliveries = after.deliveries - before.deliveries
  const answers = [...statuses].map(([status, times]) => `${times} x ${status}`).join(', ')
  process.stdout
    .write(`${count} PAs over ${connections} connections (${answers}), ${data === undefined ? 'in memory' : 'kept in a file'}
created, while the webhooks went out  ${rate.toFixed(0).padStart(7)} PAs/s
completed, with all webhooks          ${(count / seconds).toFixed(0).padStart(7)} PAs/s   (target 200)
delivered                             ${(deliveries / seconds).toFixed(0).padStart(7)} webhooks/s   (${(deliveries / count).toFixed(1)} a PA)
`)
}

async function startSandbox(webhookUrl: string, data: string | undefined): Promise<{ port: number; token: string }> {
  const port = await freePort()
  const flags = ['--port', String(port), '--speed', '10000000', '--seed', '1']
  const hook = ['--webhook-url', webhookUrl, '--webhook-secret', 'a-secret-of-the-benchmark']
  const kept = data === undefined ? [] : ['--data', data]
  const script = new URL('../packages/sandbox/src/main.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [...process.execArgv, script, ...flags, ...kept, ...hook], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  for (;;) {
    if (child.exitCode !== null) throw new Error('The sandbox did not start.')
    const answer = await fetch(`http://127.0.0.1:${port}/_sandbox/tokens`, { method: 'POST' }).catch(() => undefined)
    if (answer?.ok !== true) {
      await delay(50)
      continue
    }
    // The control's answer.
    const { data: issued } = (await answer.json()) as { data: { token: string } }
    return { port, token: issued.token }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server on a TCP port has no other kind of address.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function create({ port, token }: { port: number; token: string }, count: number, connections: number) {
  // Prescriptions belong to one PA each, so there is none here.
  const { ndp_submission: _none, ...request } = priorAuthorization
  const body = JSON.stringify(request)
  const head = `POST /prior-authorization HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
  return sendAll(port, Array<Buffer>(count).fill(Buffer.from(head + body)), connections)
}

async function ask(receiver: ChildProcess): Promise<Count> {
  receiver.send('count')
  const [count] = await once(receiver, 'message')
  return count as Count // what the receiver sends
}

/** Until so many PAs have ended and nothing more has come for a while. */
async function waitFor(receiver: ChildProcess, completed: number): Promise<Count> {
  for (;;) {
    await delay(250)
    const count = await ask(receiver)
    if (count.completed >= completed && Date.now() - count.lastAt > 500) return count
  }
}
