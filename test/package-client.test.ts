import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as client from '../packages/client/src/index.ts'
import { createSandbox } from '../packages/sandbox/src/sandbox.ts'
import { createForkTree } from './support/fork-tree.ts'
import { needs } from './support/needs.ts'
import { createProject, type Project } from './support/packed-project.ts'

const tar = needs('tar')
const compiler = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url))

/** A project's own code, with nothing of the gateway. */
const own = `import { type Api, ApiNotFound, createApi, createVerify, DeliveryRefused, isApproved, type PriorAuthorization } from 'pawl-client'

const api: Api = createApi({ baseUrl: process.env.API_BASE_URL ?? '', token: process.env.API_TOKEN ?? '' })
const { message } = await api.getStatus()
const missing = await api.getPriorAuthorization('pa_req_none').catch((error: unknown) => error instanceof ApiNotFound && error.retry)
const verify = await createVerify(['a-secret-of-the-service-0123456789'])
const refused = await verify('not-a-token').catch((error: unknown) => error instanceof DeliveryRefused && error.code)
export const approved = (pa: PriorAuthorization): boolean => {
  // @ts-expect-error -- a PA has no such kind
  const kind: 'benefit_verification' = pa.object
  void kind
  return isApproved(pa.outcome)
}
// @ts-expect-error -- an address is a text
export const wrong = () => createApi({ baseUrl: 1, token: 'a-token' })
console.log(JSON.stringify({ message, missing, refused }))
`

describe.skipIf(tar === undefined)('the package of the client alone', () => {
  let project: Project
  let installed: string

  beforeAll(async () => {
    project = await createProject()
    installed = join(project.path, 'node_modules/pawl-client')
    await mkdir(installed, { recursive: true })
    const tree = await createForkTree(new Map())
    try {
      await project.succeed('npm', ['pack', './packages/client', '--pack-destination', project.path], tree.path)
    } finally {
      await tree.destroy()
    }
    await project.succeed(tar ?? '', ['-xzf', 'pawl-client-0.1.0.tgz', '--strip-components=1', '-C', installed])
    await project.link(['@types/node', 'undici-types'])
  })
  afterAll(() => project.destroy())

  it('has the version of the gateway, no dependencies, and takes less than 5 MB', async () => {
    const manifest = await readFile(join(installed, 'package.json'), 'utf8')
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(JSON.parse(manifest)).toMatchObject({ name: 'pawl-client', version })
    expect(manifest).not.toMatch(/"(peerD|optionalD|d)ependencies"/)
    const { output } = await project.run('du', ['-sk', installed])
    expect(Number.parseInt(output, 10)).toBeLessThan(5 * 1024)
  })

  it('bundles none of the packages that the gateway alone needs, and holds the licences of the others', async () => {
    const notices = await readFile(join(installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
    const bundled = notices.split(`${'-'.repeat(80)}\n\n`).map((notice) => notice.slice(0, notice.indexOf('\n')))
    expect(bundled.join(' ')).toBe(
      `@borewit/text-codec @opentelemetry/api @tokenizer/inflate debug file-type ieee754 jose ms strtok3 structured-headers token-types uint8array-extras undici zod`,
    )
    expect(await readFile(join(installed, 'dist/LICENSE'), 'utf8')).toContain('Apache License')
  })

  it('exports the same names as pawl/client, and loads the HTTP client with the first request only', async () => {
    const print = `console.log(Object.keys(await import('pawl-client')).join())`
    const seen = join(project.path, 'seen')
    // Node.js notes there each file that it loads.
    const env = { NODE_V8_COVERAGE: seen }
    const { output } = await project.run(process.execPath, ['--input-type=module', '--eval', print], { env })
    expect(output.trim().split(',').toSorted()).toEqual(Object.keys(client).toSorted())
    const [report = ''] = await readdir(seen)
    const { result } = JSON.parse(await readFile(join(seen, report), 'utf8')) as { result: { url: string }[] }
    const loaded = result.flatMap(({ url }) => /pawl-client\/dist\/(.+)$/.exec(url)?.[1] ?? [])
    // What is imported later has a name of its own.
    expect(loaded.filter((file) => !/^(chunk-\w+|index)\.js$/.test(file))).toEqual([])
    expect(loaded).toContain('index.js')
    const sizes = await Promise.all(loaded.map(async (file) => (await stat(join(installed, 'dist', file))).size))
    expect(sizes.reduce((sum, each) => sum + each, 0)).toBeLessThan(1_000_000)
  })

  it('has types under strict, asks the service, and verifies webhooks', async () => {
    await project.write('own.ts', own)
    const readme = await readFile(join(installed, 'README.md'), 'utf8')
    await project.write('readme.ts', /^```ts\n(.*?)^```$/ms.exec(readme)?.[1] ?? 'there is no example')
    const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, types: ['node'], outDir: 'built' }
    await project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['own.ts', 'readme.ts'] }))
    expect(await project.run(compiler, ['-p', '.'])).toEqual({ code: 0, output: '' })
    const sandbox = createSandbox()
    try {
      const { url } = await sandbox.listen(0)
      const env = { API_BASE_URL: url, API_TOKEN: await sandbox.issueToken() }
      const { code, output } = await project.run(process.execPath, [join('built', 'own.js')], { env })
      expect({ code, output }).toMatchObject({ code: 0 })
      expect(JSON.parse(output)).toEqual({
        message: 'The API is operational.',
        missing: 'never',
        refused: 'token_invalid',
      })
    } finally {
      await sandbox.close()
    }
  })
})
