import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { needs } from '../support/needs.ts'
import { freePort } from '../support/spawn-pawl.ts'
import { until } from '../support/until.ts'
import { linkCheckout } from './link-checkout.ts'
import { readPage } from './readme-examples.ts'
import { findMissing } from './walked-page.ts'

const page = await readPage('docs/sandbox.md')
const chapter = /^## Recipes\n([^]*?)^## /m.exec(page)?.[1] ?? ''

/** The recipes, with what they have typed in, and what they show of what is printed. */
const recipes = chapter
  .split(/^### /m)
  .slice(1)
  .map((text) => ({
    title: text.slice(0, text.indexOf('\n')),
    blocks: [...text.matchAll(/^```(sh|text)\n([^]*?)^```$/gm)].map(([, kind = '', code = '']) => ({ kind, code })),
  }))

/** Whether the code runs until it is ended: an endpoint, or a sandbox. */
const runsOn = (code: string) => /^(node -e .*listen|WEBHOOK_SECRET=\S+ node |npm run sandbox( -- --.*)?\n$)/.test(code)

const isEverythingThere = [needs('curl'), needs('npm')].every((path) => path !== undefined)

const running: ChildProcess[] = []
let folder = ''

afterEach(async () => {
  await Promise.all(running.splice(0).map(endGroup))
  await rm(folder, { recursive: true, force: true })
})

/** A shell and what it started end together. */
async function endGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  process.kill(-child.pid, 'SIGTERM')
  await until('it has ended', () => child.exitCode !== null || child.signalCode !== null)
}

const answers = (port: number) =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  )

describe.skipIf(!isEverythingThere)('the recipes of docs/sandbox.md', () => {
  it.each(recipes)('$title: prints what it shows', async ({ blocks }) => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-recipe-'))
    await linkCheckout(folder)
    const ports = new Map(await Promise.all([4000, 9000].map(async (port) => [port, await freePort()] as const)))
    const withPorts = (text: string) => text.replaceAll(/4000|9000/g, (shown) => String(ports.get(Number(shown))))
    const env = { ...process.env, SANDBOX_PORT: String(ports.get(4000)), NO_COLOR: '1' }
    let printed = ''
    for (const { kind, code } of blocks) {
      const shown = withPorts(code)
      if (kind === 'text') expect(findMissing(shown, printed), printed).toBeUndefined()
      else if (runsOn(code)) {
        running.push(spawn('sh', ['-c', shown], { cwd: folder, env, detached: true, stdio: 'ignore' }))
        const port = ports.get(/^(node|WEBHOOK_SECRET)/.test(code) ? 9000 : 4000) ?? 0
        await until('it answers', () => answers(port))
      } else printed = await run(shown, env)
    }
  })

  function run(commands: string, env: NodeJS.ProcessEnv): Promise<string> {
    return new Promise((resolve, reject) => {
      execFile('sh', ['-ec', commands], { cwd: folder, env }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout + stderr)
        else reject(new Error(`${commands} failed:\n${stdout}${stderr}`))
      })
    })
  }
})
