import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startHl7Listener } from '../../../../test/support/hl7-listener.ts'
import { needs } from '../../../../test/support/needs.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import { samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { openHl7 } from './open-hl7.ts'

const mllpSend = needs('mllp_send', { package: 'python3-hl7' })

/** A server of the library that answers AA to each message, and prints it. */
const server = `
import asyncio, hl7, json, sys
from hl7.mllp import start_hl7_server
async def serve(reader, writer):
    while not writer.is_closing():
        try:
            message = await reader.readmessage()
        except asyncio.IncompleteReadError:
            break
        print(json.dumps([str(s) for s in message]), flush=True)
        writer.writemessage(message.create_ack())
        await writer.drain()
async def main():
    listening = await start_hl7_server(serve, '127.0.0.1', 0)
    print(listening.sockets[0].getsockname()[1], flush=True)
    async with listening:
        await listening.serve_forever()
asyncio.run(main())
`

describe.skipIf(mllpSend === undefined)('the library hl7 of Python', () => {
  it('takes documents as a server, one connection for all', async () => {
    const child = spawn('/usr/bin/python3', ['-c', server], { stdio: ['ignore', 'pipe', 'inherit'] })
    const printed: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text: string) => void printed.push(text))
    await once(child.stdout, 'data')
    const system = openHl7(Number(printed[0]))
    const run = createTestRun()
    try {
      for (const status of ['created', 'processing', 'completed'])
        await system.open(run).putPriorAuthorization(samplePriorAuthorization({ status }))
    } finally {
      await system.close?.()
      child.kill()
      await once(child, 'exit')
    }
    expect(run.receipts.map(({ type }) => type)).toEqual(['MDM^T02', 'MDM^T10', 'MDM^T10'])
    expect(printed.join('').match(/"MSH\|/g)).toHaveLength(3)
  })

  it('sends what pawl wrote, by mllp_send, and the listener that pawl sends to takes it', async () => {
    const listener = await startHl7Listener()
    const system = openHl7(listener.port)
    await system.open(createTestRun()).putPriorAuthorization(samplePriorAuthorization())
    await system.close?.()
    const [sent] = listener.received.map(String)
    const other = (sent ?? '').replace(/MDM_T02\|\w+/, 'MDM_T02|OTHER').replace(/\|\w+\^PAWL\|/, '|OTHER^PAWL|')
    const folder = await mkdtemp(join(tmpdir(), 'pawl-mllp-'))
    const file = join(folder, 'message.hl7')
    await writeFile(file, `\u000B${other}\u001C\r`)
    const { stdout } = await promisify(execFile)(mllpSend ?? '', ['-p', String(listener.port), '-f', file, '127.0.0.1'])
    expect(stdout).toContain('MSA|AA|OTHER')
    expect(listener.received.map(String).at(-1)).toBe(other.trimEnd())
    expect(listener.documents()).toHaveLength(2)
    await rm(folder, { recursive: true })
    await listener.close()
  })
})
