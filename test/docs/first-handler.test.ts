import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createForkTree, fewTests, type ForkTree } from '../support/fork-tree.ts'
import { needs } from '../support/needs.ts'
import { type DevProcess, freeDevPorts, spawnDev } from '../support/spawn-dev.ts'
import { until } from '../support/until.ts'
import { readPage } from './readme-examples.ts'
import { findMissing, readWalk } from './walked-page.ts'

const page = 'docs/first-handler.md'
const sections = readWalk(await readPage(page))

/** The ports of the page, by the flags that give others. */
const shownPorts: Readonly<Record<string, string>> = {
  '--port': '3000',
  '--admin-port': '3001',
  '--sandbox-port': '4000',
  '--fhir-port': '4100',
  '--pharmacy-port': '4200',
}

const isEverythingThere = [needs('git'), needs('curl')].every((path) => path !== undefined)

describe.skipIf(!isEverythingThere)(page, () => {
  let fork: ForkTree
  let ports: Map<string, number>
  let dev: DevProcess | undefined
  /** How much of what dev printed the page has shown already. */
  let read = 0

  beforeAll(async () => {
    fork = await createForkTree(new Map())
    ports = await freeDevPorts()
    await run('git init -q -b main && git add . && git commit -q -m "As it was cloned"')
  })
  afterAll(async () => {
    await dev?.end('SIGTERM')
    await fork.destroy()
  })

  function environment(): NodeJS.ProcessEnv {
    const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, FORCE_COLOR: ____, ...inherited } = process.env
    const who = { NAME: 'Testa Sample', EMAIL: 'testa@clinic.example' }
    const names = Object.entries(who).flatMap(([name, value]) => [
      [`GIT_AUTHOR_${name}`, value],
      [`GIT_COMMITTER_${name}`, value],
    ])
    return { ...inherited, ...fewTests, ...Object.fromEntries(names), NO_COLOR: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  }

  /** Runs commands in a shell; resolves with all that they printed. */
  function run(commands: string): Promise<string> {
    return new Promise((resolve, reject) => {
      execFile('sh', ['-ec', commands], { cwd: fork.path, env: environment() }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout + stderr)
        else reject(new Error(`${commands} failed:\n${stdout}${stderr}`))
      })
    })
  }

  /** The text with the ports of this run in place of those of the page. */
  function withPorts(text: string): string {
    return Object.entries(shownPorts).reduce(
      (changed, [flag, port]) => changed.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${ports.get(flag)}`),
      text,
    )
  }

  it.each(sections)('$title: prints what it shows', async ({ blocks }) => {
    let printed: string | undefined = ''
    for (const { kind, text } of blocks) {
      const shown = withPorts(text)
      if (kind === 'ts') await writeFile(join(fork.path, /^\/\/ (\S+)/.exec(text)?.[1] ?? ''), text)
      else if (text === 'npm run dev\n') dev = spawnDev(fork.path, ports, ['--pretty'])
      // What a conformance run prints is compared where one is tested.
      else if (kind === 'sh' && text.startsWith('npm run conformance ')) printed = undefined
      // The packages of `npm ci` are linked into the fork.
      else if (kind === 'sh' && text !== 'npm ci\n') printed = await run(shown)
      else if (kind === 'text' && printed !== undefined) expect(findMissing(shown, printed), printed).toBeUndefined()
      else if (kind === 'log') await showsInLog(shown)
    }
  })

  async function showsInLog(shown: string): Promise<void> {
    const newOutput = () => dev?.output().slice(read) ?? ''
    await until('the log shows it', () => findMissing(shown, newOutput()) === undefined, 120_000).catch(() => {
      throw new Error(`${findMissing(shown, newOutput())}\nis missing in:\n${newOutput()}`)
    })
    read = dev?.output().length ?? 0
  }
})
