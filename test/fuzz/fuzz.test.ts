import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mustBeAlive, watchFiles, watchPrototypes } from './aftermath.ts'
import { fuzz, type TargetName, targets } from './fuzz.ts'

// The names of an object whose keys the compiler widens.
describe.each(Object.keys(targets) as TargetName[])('the %s', (target) => {
  it('bears hostile tokens, bodies, ids and HTTP: it lives on, fails at none, stores what it accepts and nothing else', async () => {
    const { fault, attacks, statuses } = await fuzz({ target, seed: 20_260_302, runs: 60 })
    expect(fault).toBeUndefined()
    expect(attacks).toBe(60)
    // Those that get past the first check, and those that do not.
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '401']))
  })
})

describe('the watch over an attack', () => {
  it('notices a property that every object has from then on', () => {
    const check = watchPrototypes()
    check()
    // An attacker's code has no types either.
    Object.assign(Object.prototype, { polluted: true })
    try {
      expect(check).toThrow('a prototype has other properties than before')
    } finally {
      Reflect.deleteProperty(Object.prototype, 'polluted')
    }
    check()
  })

  it('notices a file that nothing should write', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pawl-fuzz-test-'))
    const check = await watchFiles(folder, /^pawl\.db$/)
    await writeFile(join(folder, 'pawl.db'), '')
    await check()
    await writeFile(join(folder, 'passwd'), '')
    await expect(check()).rejects.toThrow('passwd')
    await rm(folder, { recursive: true })
  })

  it('notices a server that fails, and one that is gone', async () => {
    const server = createServer((_, res) => void res.writeHead(500).end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    // A TCP server that listens has such an address.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await expect(mustBeAlive(url)).rejects.toThrow('answers 500')
    server.close().closeAllConnections()
    await once(server, 'close')
    await expect(mustBeAlive(url)).rejects.toThrow('does not answer any more')
  })
})
