import { existsSync } from 'node:fs'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startFarSide } from '../../testing/src/far-side.ts'
import { createForkTree, type ForkTree } from '../../../test/support/fork-tree.ts'
import { type DevProcess, freeDevPorts, spawnDev } from '../../../test/support/spawn-dev.ts'
import { until } from '../../../test/support/until.ts'

let fork: ForkTree
let dev: DevProcess | undefined

beforeAll(async () => {
  fork = await createForkTree(new Map())
  await fork.bundle(['packages/dev/src/dev.ts'])
})
afterAll(() => fork.destroy())
afterEach(async () => {
  await dev?.end('SIGTERM')
})

/** Of processes whose environment names the tree: what dev started. */
async function gatewaysOf(port: number | undefined): Promise<string[]> {
  const commands = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => ({
        command: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
        env: await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''),
      })),
  )
  return commands
    .filter(({ command, env }) => command.includes('src/main.ts') && env.split('\0').includes(`PORT=${port}`))
    .map(({ command }) => command)
}

const pawl = (...args: string[]) => fork.run('tsx', ['--conditions=source', 'src/cli/pawl.ts', ...args])

/** Resources of a type on the FHIR server of the run. */
async function held(type: string): Promise<{ status?: string; identifier?: { value?: string }[] }[]> {
  const answer = await fetch(`http://127.0.0.1:${dev?.ports.get('--fhir-port')}/fhir/R4/${type}`)
  // As FHIR has it.
  const bundle = (await answer.json()) as { entry?: { resource: { status?: string } }[] }
  return (bundle.entry ?? []).map(({ resource }) => resource)
}

describe('npm run dev', () => {
  it('writes a PA from one command to the FHIR server, survives edits and mistakes, and ends with Ctrl-C', async () => {
    const running = spawnDev(fork.path, await freeDevPorts(), ['--pretty', '--speed', '50000'])
    dev = running
    await running.prints('pawl is running')

    const created = await pawl('play', 'pa')
    const id = /^Created (pa_req_\w+)\.\n$/.exec(created)?.[1] ?? ''
    expect(id, created).not.toBe('')
    // They take the settings of the run by themselves.
    expect(await pawl('check')).toContain('ehr')
    expect(await pawl('show', id)).toContain(id)
    /** A handler that wrote, and the status that the case reached. */
    const moved = (of: string, status: string, handler: string) =>
      new RegExp(`${of}  ${handler}  .*${status}.*  wrote `)
    await running.prints(moved(id, 'completed \\(approved\\)', 'prior-authorization-to-ehr'))
    await until('the chart says so', async () => {
      const tasks = await held('Task')
      return tasks.some(({ identifier, status }) => identifier?.[0]?.value === id && status === 'completed')
    })
    expect(await pawl('play', 'bv')).toMatch(/^Created bv_\w+\.\n$/)
    await running.prints(moved('bv_\\w+', '→ completed', 'benefit-verification-to-ehr'))
    // Runs that found nothing to change are not shown.
    expect(running.output()).not.toMatch(/-to-\w+ {2}\w+\n/)

    // An editor puts another file in the place of the old one; the state of sandbox and chart stays.
    const path = join(fork.path, 'templates/prior-authorization-to-ehr/handler.ts')
    const source = await readFile(path, 'utf8')
    const put = async (text: string) => {
      const from = running.output().length
      await writeFile(`${path}.tmp`, text)
      await rename(`${path}.tmp`, path)
      return from
    }
    const before = await put(source.replace("name: 'prior-authorization-to-ehr'", "name: 'renamed-handler'"))
    await running.prints('templates/prior-authorization-to-ehr/handler.ts changed: the gateway restarts.', before)
    await running.prints('pawl is running', before)
    const second = /pa_req_\w+/.exec(await pawl('play'))?.[0] ?? ''
    await running.prints(moved(second, 'completed', 'renamed-handler'), before)
    expect((await held('Task')).some(({ identifier }) => identifier?.[0]?.value === id)).toBe(true)

    // The gateway runs all the same; the compiler tells.
    const mistyped = await put(`${source}\nexport const count: number = 'one'\n`)
    await running.prints('pawl is running', mistyped)
    const place = 'templates/prior-authorization-to-ehr/handler\\.ts:\\d+:\\d+'
    await running.prints(new RegExp(`${place}\\s+Type 'string' is not`), mistyped)

    const broken = await put(`${source}\n  const = 1\n`)
    await running.prints('The gateway exited (exit code 1). It restarts at the next change', broken)
    const told = running.output().slice(broken).replaceAll(/\s+/g, ' ')
    expect(told).toMatch(new RegExp(` ${place} Expected identifier but found "=" const = 1 The gateway exited`))
    const mended = await put(source)
    await running.prints('pawl is running', mended)
    await running.prints('The types of the handlers are correct again.', mended)

    // Settings of .env are taken in with the next start, too.
    const settings = running.output().length
    await writeFile(join(fork.path, '.env'), 'REST_MS=nonsense\n')
    await running.prints('.env changed: the gateway restarts.', settings)
    await running.prints('REST_MS: must be a number', settings)
    await writeFile(join(fork.path, '.env'), '')
    await running.prints('pawl is running', settings)

    const port = running.ports.get('--port')
    expect(await gatewaysOf(port)).toHaveLength(1)
    expect(await running.end('SIGINT'), running.output()).toBe(0)
    expect(await gatewaysOf(port)).toEqual([])
    expect(existsSync(join(fork.path, 'data/dev/.env'))).toBe(false)
  })

  it('prints settings for another terminal, and the raw log if its output is not a terminal', async () => {
    const running = spawnDev(fork.path, await freeDevPorts(), ['--seed', '1'])
    dev = running
    let log = ''
    running.child.stdout?.on('data', (text: string) => (log += text))
    await running.prints('pawl is running')
    const printed = /from there\):\n\n([^]*?)\n\n/.exec(running.output())?.[1] ?? ''
    const kept = await readFile(join(fork.path, 'data/dev/.env'), 'utf8')
    expect(`${printed}\n`).toBe(kept)
    const { API_BASE_URL: url, API_TOKEN: token, WEBHOOK_SECRETS: secret } = parseEnv(printed)
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect((await fetch(`${url}/status`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
    for (const line of log.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ level: 'info' })
  })

  it('uses the systems that .env names instead of local ones', async () => {
    const env = { FHIR_BASE_URL: 'http://127.0.0.1:9/fhir', PHARMACY_URL: 'http://127.0.0.1:9/transfers' }
    const given = { ...env, PHARMACY_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`, API_TOKEN: 'of-another' }
    const running = spawnDev(fork.path, await freeDevPorts(), ['--pretty'], given)
    dev = running
    await running.prints('pawl is running')
    expect(running.output()).toContain('FHIR_BASE_URL is set, so nothing is started in its place.')
    expect(running.output()).toContain('API_TOKEN as you set it is not used: what is started here has its own.')
    await expect(held('Task')).rejects.toThrow('fetch failed')
    const id = /pa_req_\w+/.exec(await pawl('play'))?.[0]
    await running.prints(`${id}  webhook prior_authorization.status_change\n`)
  })

  it.each(['--port', '--admin-port', '--sandbox-port', '--fhir-port', '--pharmacy-port'])(
    'reports that the port of %s is taken, and exits 1',
    async (flag) => {
      const ports = await freeDevPorts()
      const server = await startFarSide(() => 'cut', ports.get(flag))
      const running = spawnDev(fork.path, ports)
      dev = running
      expect(await running.exited, running.output()).toBe(1)
      await server.close()
      expect(running.output()).toBe(`Port ${ports.get(flag)} is taken: free it, or choose another with ${flag}.\n`)
    },
  )

  it('explains its options, and exits 2 for wrong arguments', async () => {
    const help = spawnDev(fork.path, new Map(), ['--help'])
    expect(await help.exited).toBe(0)
    expect(help.output()).toContain('--sandbox-port <port>')
    const wrong = spawnDev(fork.path, new Map(), ['--port', '0'])
    expect(await wrong.exited).toBe(2)
    expect(wrong.output()).toContain('It is a whole number from 1 to 65535.')
    const inEnvironment = spawnDev(fork.path, new Map(), [], { SANDBOX_PORT: '0' })
    expect(await inEnvironment.exited).toBe(2)
    expect(inEnvironment.output()).toContain('SANDBOX_PORT')
  })
})

it('pawl play reports that no development environment runs', async () => {
  await expect(pawl('play')).rejects.toThrow('No development environment runs here: start it with npm run dev.')
})
