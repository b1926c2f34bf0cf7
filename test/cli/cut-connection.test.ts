import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { runPawl } from '../support/run-script.ts'

it.each([
  ['looks', ['parked']],
  ['changes something', ['retry', '--all']],
])('a command that %s says that no pawl answers where its connection is closed at once', async (_, command) => {
  const closing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(closing, 'listening')
  // A server that listens on TCP has such an address.
  const { port } = closing.address() as { port: number }
  const { code, err: said } = await runPawl(command, { ADMIN_PORT: String(port) })
  closing.close()
  expect(said).toContain(`No pawl answers at http://127.0.0.1:${port}: `)
  expect(code).toBe(1)
})
