import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startFarSide } from '../../packages/testing/src/far-side.ts'
import { mustBeAlive, watchFiles, watchPrototypes } from './aftermath.ts'
import { hasProvider } from '../foreign/oidc-provider.ts'
import { fuzz, type TargetName, targets } from './fuzz.ts'

/** Enough of them that some of each kind get through, however many routes there are. */
const attempts = 300

// The names of an object whose keys the compiler widens.
describe.each(Object.keys(targets) as TargetName[])('the %s', (target) => {
  it.skipIf(target === 'console' && !hasProvider)(
    'bears hostile tokens, bodies, ids and HTTP: it lives on, fails at none, stores what it accepts and nothing else',
    async () => {
      const { fault, attacks, statuses } = await fuzz({ target, seed: 20_260_302, runs: attempts })
      expect(fault).toBeUndefined()
      expect(attacks).toBe(attempts)
      // Those that get past the first check, and those that do not.
      expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '401']))
    },
  )
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
    const server = await startFarSide(() => ({ status: 500 }))
    await expect(mustBeAlive(server.url)).rejects.toThrow('answers 500')
    await server.close()
    await expect(mustBeAlive(server.url)).rejects.toThrow('does not answer any more')
  })
})
