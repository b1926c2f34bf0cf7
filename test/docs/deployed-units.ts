import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startFarSide } from '../../packages/testing/src/far-side.ts'
import { freePort, type PawlProcess, spawnPawl } from '../support/spawn-pawl.ts'
import { unitFilter } from '../support/unit-filter.ts'
import { wordsOf } from './link-checkout.ts'

/** The processes of docs/deploying.md, with something that restarts them as systemd would. */
export interface Units {
  /** POST here `/restart/pawl@<name>`; answered once the old process is gone and the new one was started. */
  controlUrl: string
  receiverPorts: readonly number[]
  /** How the processes ended that were replaced. */
  exits(): Record<string, (number | NodeJS.Signals | null)[]>
  close(): Promise<void>
}

type Settings = Record<string, string>

/** Starts two receivers and a worker, each with the shared settings and those of its role; writes their files into `<folder>/etc`, and a release whose health check is the one of these sources into `<folder>/opt`. */
export async function startUnits(
  folder: string,
  { shared, ...roles }: Record<'shared' | 'receiver' | 'worker', Settings>,
): Promise<Units> {
  const own: Record<string, Settings> = {}
  for (const name of ['receiver-1', 'receiver-2', 'worker']) {
    const [PORT, ADMIN_PORT] = [String(await freePort()), String(await freePort())]
    const ROLE = name === 'worker' ? 'worker' : 'receiver'
    own[name] = { ROLE, PORT, ADMIN_PORT, ...roles[ROLE] }
  }
  for (const [name, settings] of Object.entries({ pawl: shared, ...own })) {
    const lines = Object.entries(settings).map(([key, value]) => `${key}='${value}'\n`)
    await writeFile(join(folder, 'etc', `${name}.env`), lines.join(''))
  }
  const release = join(folder, 'opt/pawl-0.2.0/dist/src/cli')
  await mkdir(release, { recursive: true })
  const [program, ...args] = wordsOf('src/cli/healthcheck.ts').map((word) => JSON.stringify(word))
  await writeFile(
    join(release, 'healthcheck.js'),
    `process.exitCode = require('node:child_process').spawnSync(${program}, [${args.join()}], { stdio: 'inherit' }).status\n`,
  )

  const running = new Map<string, PawlProcess>()
  const exits: Record<string, (number | NodeJS.Signals | null)[]> = {}
  const start = (name: string) => {
    const process = spawnPawl({ ...shared, ...own[name] }, { under: unitFilter })
    running.set(name, process)
    return process
  }
  const stop = async (name: string) => running.get(name)?.end('SIGTERM')
  const control = await startFarSide(async ({ path }) => {
    const name = path.replace('/restart/pawl@', '')
    const exit = await stop(name)
    ;(exits[name] ??= []).push(exit ?? null)
    start(name)
    return { status: 200 }
  })
  async function close(): Promise<void> {
    await control.close()
    await Promise.all([...running.keys()].map(stop))
  }
  try {
    await Promise.all(Object.keys(own).map((name) => start(name).ready()))
  } catch (error) {
    await close()
    throw error
  }
  return {
    controlUrl: control.url,
    receiverPorts: [Number(own['receiver-1']?.PORT), Number(own['receiver-2']?.PORT)],
    exits: () => exits,
    close,
  }
}
