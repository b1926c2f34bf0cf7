import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderer } from '../packages/sandbox/test/needs-renderer.ts'
import { startReceiver } from '../packages/sandbox/test/start-receiver.ts'
import { createForkTree } from './support/fork-tree.ts'
import { needs } from './support/needs.ts'
import { createProject, type Project } from './support/packed-project.ts'
import { until } from './support/until.ts'

const tar = needs('tar')
const secret = 'a-secret-of-at-least-thirty-two-characters'

describe.skipIf(tar === undefined || renderer === undefined)('the package of the sandbox alone', () => {
  let project: Project
  let installed: string
  let command: string

  beforeAll(async () => {
    project = await createProject()
    installed = join(project.path, 'node_modules/@pawl/sandbox')
    await mkdir(installed, { recursive: true })
    const tree = await createForkTree(new Map())
    try {
      const modules = join(tree.path, 'packages/sandbox/reference/node_modules')
      await symlink(fileURLToPath(new URL('../packages/sandbox/reference/node_modules', import.meta.url)), modules)
      await project.succeed('npm', ['pack', './packages/sandbox', '--pack-destination', project.path], tree.path)
    } finally {
      await tree.destroy()
    }
    await project.succeed(tar ?? '', ['-xzf', 'pawl-sandbox-0.1.0.tgz', '--strip-components=1', '-C', installed])
    // As npm links it.
    const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
      bin: Record<string, string>
    }
    command = join(project.path, 'node_modules/.bin/pawl-sandbox')
    await mkdir(dirname(command))
    await symlink(join(installed, bin['pawl-sandbox'] ?? ''), command)
  })
  afterAll(() => project.destroy())

  it('has no dependencies, takes less than 6 MB, and holds the licences of what it bundles', async () => {
    const manifest = await readFile(join(installed, 'package.json'), 'utf8')
    expect(manifest).not.toMatch(/"(optionalD|d)ependencies"/)
    const { output } = await project.run('du', ['-sk', installed])
    expect(Number.parseInt(output, 10)).toBeLessThan(6 * 1024)
    const notices = await readFile(join(installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const name of ['express', 'htmx.org', 'redoc', 'zod']) expect(notices).toMatch(new RegExp(`^${name}\\n`, 'm'))
  })

  it('starts by its command, takes a PA to its end, and sends signed webhooks of it', async () => {
    const receiver = await startReceiver()
    const hook = ['--webhook-url', receiver.url, '--webhook-secret', secret]
    const sandbox = spawn(command, ['--port', '0', '--speed', '0', ...hook], { cwd: project.path })
    const exited = once(sandbox, 'exit')
    let printed = ''
    for (const stream of [sandbox.stdout, sandbox.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
    try {
      const [, url = '', body = ''] = await until('the sandbox is there', () => {
        if (sandbox.exitCode !== null) throw new Error(`it ended early:\n${printed}`)
        return /listens on (\S+)[^]*-d '([^']+)'[^]* trigger /.exec(printed) ?? undefined
      })
      const token = /organization:\n(\S+)/.exec(printed)?.[1] ?? ''
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const created = await fetch(`${url}/prior-authorization`, { method: 'POST', headers, body })
      expect(created.status).toBe(200)
      const week = JSON.stringify({ advance_ms: 604_800_000 })
      await fetch(`${url}/_sandbox/clock`, { method: 'PUT', headers, body: week })
      await until('the end was told', () => receiver.received.some((one) => one.body.includes('"status":"completed"')))
      for (const { token: sent } of receiver.received) {
        const [head, claims, signature] = sent.split('.')
        expect(createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url')).toBe(signature)
      }
      expect(await (await fetch(`${url}/docs`)).text()).toContain('/docs/redoc.js')
      expect((await fetch(`${url}/docs/redoc.js`)).status).toBe(200)
      expect((await fetch(`${url}/_sandbox/`, { headers: { accept: 'text/html' } })).status).toBe(200)
      const played = await project.run(command, ['trigger', 'benefit-verification', '--port', new URL(url).port])
      expect(played).toMatchObject({ code: 0, output: expect.stringContaining('Ended as expected:') })
    } finally {
      sandbox.kill('SIGTERM')
      await exited
      await receiver.close()
    }
  })
})
