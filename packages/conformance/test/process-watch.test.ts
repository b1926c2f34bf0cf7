import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { watchHoldings } from '../src/process-watch.ts'

it('leftovers of a handler are reported by kind', async () => {
  const kinds = ['a listening server', 'an open connection', 'a child process', 'an open file', 'a listener of warning']
  const left = watchHoldings()
  // Temporary files may be those of other processes.
  expect((await left()).filter((kind) => kinds.includes(kind))).toEqual([])

  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const child = spawn('sleep', ['600'])
  onTestFinished(() => void child.kill('SIGKILL'))
  const file: FileHandle = await open(fileURLToPath(import.meta.url))
  onTestFinished(() => file.close())
  const listen = () => {}
  for (const _ of [1, 2]) process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen).off('warning', listen))

  expect(await left()).toEqual(expect.arrayContaining(kinds))
})
