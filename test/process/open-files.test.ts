import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { preparePawl } from '../support/pawl-processes.ts'
import { freePort } from '../support/spawn-pawl.ts'
import { until } from '../support/until.ts'

it('idle connections beyond ulimit -n are refused with the limit in the log, while admin listener, ledger and deliveries keep working', async () => {
  const adminPort = await freePort()
  const pawls = await preparePawl({ ADMIN_PORT: String(adminPort) })
  onTestFinished(() => pawls.close())
  const pawl = await pawls.start({}, { under: ['sh', '-c', 'ulimit -n 512; exec "$0" "$@"'] })
  let closed = 0
  const idle = Array.from({ length: 600 }, () => connect(Number(new URL(pawls.url).port), '127.0.0.1'))
  for (const socket of idle) socket.on('error', () => {}).once('close', () => (closed += 1))
  onTestFinished(() => {
    for (const socket of idle) socket.destroy()
  })
  await Promise.all(idle.map((socket) => once(socket, 'connect')))
  await until('the excess is refused', () => closed > 200)
  const ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`)
  expect(ready.status).toBe(200)
  expect(pawl.output()).toContain('delivery refused: this process may have 512 files and connections open (ulimit -n)')
  for (const socket of idle) socket.destroy()
  await until('connections are taken again', async () =>
    fetch(`${pawls.url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
})
