import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Sqlite } from '../../packages/base/src/sqlite.ts'
import { type FarSide, startFarSide } from '../../packages/testing/src/far-side.ts'
import { ofPawl } from '../support/build-once.ts'
import { createForkTree, type ForkTree } from '../support/fork-tree.ts'
import { type PawlProcesses, preparePawl } from '../support/pawl-processes.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

/** An integration with one handler, which does what ACT names. */
const integration = `import { appendFile } from 'node:fs/promises'
import { defineHandler, defineIntegration } from '#pawl'

const { ACT, JOURNAL } = process.env

const stray = defineHandler({
  name: 'stray',
  on: ['prior_authorization.status_change'],
  async handle({ once }) {
    if (ACT === 'crash') {
      setTimeout(() => { throw new Error('stray') }, 20)
      await new Promise(() => {})
    }
    if (ACT === 'endless timer') setInterval(() => {}, 1_000)
    if (ACT !== 'killed amid an effect') return
    await once('before', () => appendFile(JOURNAL, 'before\\n'))
    await once('greet', async ({ mayHaveRun }) => {
      await appendFile(JOURNAL, \`greet \${mayHaveRun}\\n\`)
      if (!mayHaveRun) process.kill(process.pid, 'SIGKILL')
    })
  },
})

export default defineIntegration({ settings: {}, systems: () => ({}), handlers: [stray] })
`

describe('the real pawl process, with a handler that leaves work behind', () => {
  let service: FarSide
  let fork: ForkTree
  let pawls: PawlProcesses

  beforeAll(async () => {
    service = await startFarSide(({ path }) => {
      const data = { id: path.split('/').at(-1), status: 'processing' }
      return { status: 200, body: JSON.stringify({ status: 'success', error: null, data }) }
    })
    fork = await createForkTree(new Map([['src/integration/index.ts', integration]]))
    await fork.bundle(ofPawl)
  })
  afterAll(async () => {
    await fork.destroy()
    await service.close()
  })
  beforeEach(async () => {
    pawls = await preparePawl({
      // A claim of a dead process is taken over after this.
      LEASE_MS: '2000',
      API_BASE_URL: service.url,
      SHUTDOWN_GRACE_MS: '300',
    })
  })
  afterEach(() => pawls.close())

  const start = (act: string, env: Record<string, string> = {}) =>
    pawls.start({ ...env, ACT: act }, { tree: fork.path })

  it('parks a resource whose stray work crashes every process with an uncaught error', async () => {
    const database = () => new Sqlite(join(pawls.folder, 'pawl.db'), { readonly: true })
    const stateOf = () => {
      const open = database()
      const row: unknown = open.prepare('select state, error_code from work').get()
      open.close()
      return row
    }
    const codes: unknown[] = []
    for (let process = 0; process < 8; process += 1) {
      const pawl = await start('crash')
      if (process === 0) await deliver(pawls.url, envelope({ id: 'pa_req_1' }))
      const ended = await Promise.race([
        pawl.exited,
        until('it is parked', () => pawl.output().includes('handler parked') && 'parked', 60_000),
      ])
      codes.push(ended)
      if (ended === 'parked') break
    }
    expect(codes.slice(0, -1)).toEqual(codes.slice(0, -1).map(() => 1))
    expect(codes.at(-1)).toBe('parked')
    expect(codes.length).toBeGreaterThan(4)
    await until('it is recorded', () => stateOf() !== undefined)
    expect(stateOf()).toEqual({ state: 'parked', error_code: 'never_given_back' })
  })

  it('tells a killed effect that it may have run, and repeats no finished one', async () => {
    const journal = join(pawls.folder, 'effects.txt')
    const restart = () => start('killed amid an effect', { JOURNAL: journal })
    const killed = await restart()
    await deliver(pawls.url, envelope({ id: 'pa_req_1' }))
    expect(await killed.exited).toBe('SIGKILL')
    const next = await restart()
    await until('it was handled', () => next.output().includes('"handled"'))
    expect((await readFile(journal, 'utf8')).trim().split('\n')).toEqual(['before', 'greet false', 'greet true'])
  })

  it('exits on SIGTERM despite an endless timer of a handler', async () => {
    const pawl = await start('endless timer')
    await deliver(pawls.url, envelope({ id: 'pa_req_1' }))
    await until('it was handled', () => pawl.output().includes('"handled"'))
    expect(await pawl.end('SIGTERM')).toBe(0)
    expect(pawl.output()).toContain('"stopped"')
  })
})
