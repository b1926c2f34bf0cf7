import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksUnder, page as deployingPage } from './docs/deploying-page.ts'
import { readExamples, readPage } from './docs/readme-examples.ts'
import { needs } from './support/needs.ts'
import { createPackedProject, type PackedProject } from './support/packed-project.ts'
import { freeDevPorts, spawnDev } from './support/spawn-dev.ts'
import { until } from './support/until.ts'

const tar = needs('tar')
const compiler = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url))

/** A project's own code: a system, a setting and a handler, run by the test kit. */
const own = `import { type AnyIntegration, defineHandler, defineIntegration, type Given, isApproved } from 'pawl'
import { type Api, ApiNotFound, createApi } from 'pawl/client'
import { notConfigured, type System } from 'pawl/connector'
import { type Config, startGateway } from 'pawl/gateway'
import { pharmacyFrom, pharmacySettings } from 'pawl/pharmacy'
import { shippedHandlers } from 'pawl/templates'
import renewalTask from 'pawl/templates/renewal-task'
import { anEvent, aPriorAuthorization, approved, runHandler, startTestGateway } from 'pawl/testing'
import { z } from 'zod'

interface Billing {
  invoice(id: string): Promise<string>
}
const billing = (url: string | undefined): System<Billing> =>
  url === undefined ? notConfigured('BILLING_URL') : { open: () => ({ invoice: async (id) => \`inv-\${id}\` }), check: async () => ({ ok: true, findings: [] }) }

const ownSettings = { ...pharmacySettings, BILLING_URL: z.url().optional() }
const systems = ({ settings }: Given<typeof ownSettings>) => ({
  pharmacy: pharmacyFrom(settings),
  billing: billing(settings.BILLING_URL),
})

declare module 'pawl' {
  interface Register {
    settings: typeof ownSettings
    systems: typeof systems
  }
}

export const seen: string[] = []
export const invoice = defineHandler({
  name: 'invoice',
  on: ['prior_authorization.status_change'],
  async handle({ resource, billing, settings }) {
    const url: string | undefined = settings.BILLING_URL
    const result: string | undefined = resource.outcome?.result
    // @ts-expect-error -- a PA has no such kind
    const kind: 'benefit_verification' = resource.object
    // @ts-expect-error -- the port has no such method
    void billing.refund
    // @ts-expect-error -- an undeclared setting
    void settings.BILLING_TOKEN
    // @ts-expect-error -- a setting of a connector that the integration does not name
    void settings.FHIR_BASE_URL
    void kind
    if (isApproved(resource.outcome)) await billing.invoice(resource.id)
    seen.push(\`\${resource.id} \${resource.status} \${result} \${url}\`)
  },
})

export const integration = defineIntegration({ settings: ownSettings, systems, handlers: [invoice] })
export const all: AnyIntegration = { ...integration, handlers: [...shippedHandlers, renewalTask, invoice] }
export const serve = (config: Config) => startGateway(config, all)
export const api: Api = createApi({ baseUrl: 'http://127.0.0.1:9', token: 'a-token' })
export const isAbsent = (error: unknown) => error instanceof ApiNotFound && error.retry === 'never'
// @ts-expect-error -- an address is a text
export const wrong = () => createApi({ baseUrl: 1, token: 'a-token' })

const to = aPriorAuthorization({ id: 'pa_req_1', status: 'completed', outcome: approved() })
const alone = await runHandler(invoice, { to, systems: { billing: { invoice: async () => 'inv-1' } } })
const gateway = await startTestGateway({ integration, settings: { BILLING_URL: 'http://127.0.0.1:9/' } })
await gateway.deliver(anEvent(to))
await gateway.settle()
await gateway.close()
console.log(JSON.stringify({ seen, alone: alone.calls, through: gateway.calls }))
`

const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, types: ['node'], outDir: 'built' }

describe.skipIf(tar === undefined)('the package, in a project that has nothing else', () => {
  let project: PackedProject

  beforeAll(async () => {
    project = await createPackedProject(tar ?? '')
  })
  afterAll(() => project.destroy())

  let linked: Promise<void> | undefined
  /** What a project of `pawl init` installs for development. */
  const linkDevelopment = () =>
    (linked ??= project.link(['@medplum', 'fast-check', 'pino-pretty', 'prettier', 'typescript', 'vitest']))

  /** Fills in the settings that a project's .env.example leaves empty. */
  async function configure(folder: string) {
    const values = {
      WEBHOOK_SECRETS: 'a-secret-of-the-service-0123456789',
      API_TOKEN: 'a-token',
      API_BASE_URL: 'http://127.0.0.1:9',
    }
    const example = await readFile(join(project.path, folder, '.env.example'), 'utf8')
    const given = example.replaceAll(/^(\w+)=$/gm, (_, name: keyof typeof values) => `${name}=${values[name]}`)
    await project.write(`${folder}/.env`, `${given}PORT=0\nADMIN_PORT=0\n`)
  }

  /** Runs the gateway of a project until it says so; resolves with its output. */
  async function runsIn(folder: string, command: string, args = ['run'], env = process.env) {
    const gateway = spawn(command, [...args, '--paused'], { cwd: join(project.path, folder), env })
    const exited = once(gateway, 'exit')
    let output = ''
    for (const stream of [gateway.stdout, gateway.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    try {
      await until('the gateway runs', () => {
        if (gateway.exitCode !== null) throw new Error(`it ended early:\n${output}`)
        return output.includes('pawl is running') || undefined
      })
      expect(output.split('\n', 1)[0]).toContain(
        `the integration is ${join(project.path, folder, 'dist/integration.js')}"`,
      )
      expect(output).toMatch(/"count":1,.*"msg":"pawl is running"/)
    } finally {
      gateway.kill('SIGTERM')
    }
    expect(await exited).toEqual([0, null])
    expect(output).toContain('"reason":"SIGTERM"')
    return output
  }

  it('holds what was built with its declarations and the documents, and no tests, settings, data or sources', () => {
    const { files } = project
    for (const path of [
      'README.md',
      'LICENSE',
      '.env.example',
      'docs/sandbox.md',
      'dist/packages/client/src/index.d.ts',
    ])
      expect(files).toContain(path)
    const built = files.filter((path) => !/^templates\/(project|blank|connector)\//.test(path))
    expect(built.filter((path) => /\.test\.|^(src|test|bench|data)\/|\.env$|\.db|left-over/.test(path))).toEqual([])
    expect(built.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([])
  })

  it('takes less than 100 MB with all that it depends on', async () => {
    const root = fileURLToPath(new URL('..', import.meta.url))
    const listed = await project.succeed('npm', ['ls', '--omit=dev', '--all', '--parseable'], root)
    const [, ...packages] = new Set(listed.trim().split('\n'))
    expect(packages).toContainEqual(expect.stringContaining('better-sqlite3'))
    const { code, output } = await project.run('du', ['-sbc', 'node_modules/pawl', ...packages])
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(Number.parseInt(output.trim().split('\n').at(-1) ?? '', 10)).toBeLessThan(100_000_000)
  })

  it('has a command that works from any folder, and says of what needs more what that is', async () => {
    await project.write('deep/er/.keep', '')
    const pawl = (...args: string[]) => project.run('npx', ['--offline', 'pawl', ...args], { folder: 'deep/er' })
    expect(await pawl('--help')).toMatchObject({ code: 0, output: expect.stringMatching(/^ {2}sandbox /m) })
    for (const help of [
      ['sandbox', '--help'],
      ['help', 'sandbox'],
    ])
      expect(await pawl(...help)).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^Usage: pawl sandbox \[options\] \[command\]\n[^]*--webhook-url/),
      })
    expect(await pawl('sandbox', '--port', 'x')).toMatchObject({ code: 2, output: expect.stringContaining('65535') })
    const examined = await pawl('doctor')
    expect(examined).toMatchObject({ code: 2, output: expect.stringMatching(/^settings +FAIL WEBHOOK_S/m) })
    expect(examined.output).toMatch(/^integration +warn It is the one that pawl ships\. .*run pawl in its folder\.$/m)
    for (const [args, reason] of [
      [['conformance'], 'The conformance run needs packages of development that are not installed'],
      [['new', 'connector', 'billing'], 'need a project of pawl init, or a checkout of pawl'],
    ] as const) {
      const { code, output } = await pawl(...args)
      expect(code).not.toBe(0)
      expect(output).toContain(reason)
      expect(output).not.toContain('    at ')
    }
  })

  it('names the setting, and what to install, where a package that the setting needs is missing', async () => {
    const settings = {
      WEBHOOK_SECRETS: 'a-secret-of-the-service-0123456789',
      API_BASE_URL: 'http://127.0.0.1:9',
      API_TOKEN: 'a-token',
      DATABASE_URL: 'file:./pawl.db',
      PORT: '0',
      ADMIN_PORT: '0',
    }
    const main = join('node_modules', 'pawl', 'dist', 'src', 'main.js')
    const cases: [env: Record<string, string>, sentence: string][] = [
      [
        { PHARMACY_URL: 'mysql://pawl@127.0.0.1:9/rx' },
        'PHARMACY_URL: needs a package that is not installed: npm install mysql2',
      ],
      [
        {
          PHARMACY_URL: 'sftp://pawl@127.0.0.1:9/in',
          PHARMACY_HOST_KEY: `SHA256:${'A'.repeat(43)}`,
          PHARMACY_PASSWORD: 'a-password',
        },
        'PHARMACY_URL: needs a package that is not installed: npm install ssh2-sftp-client',
      ],
      [
        { ALERT_EMAIL_TO: 'a@clinic.example', ALERT_EMAIL_FROM: 'b@clinic.example', SMTP_URL: 'smtps://127.0.0.1:9' },
        'ALERT_EMAIL_TO: needs a package that is not installed: npm install nodemailer',
      ],
      [
        { FHIR_DOCUMENT_FORMATS: 'text/plain,application/pdf' },
        'FHIR_DOCUMENT_FORMATS: needs packages that are not installed: npm install pdfkit open-sans-fonts',
      ],
      [
        { EHR_URL: 'mllp://127.0.0.1:9' },
        'EHR_URL: needs a package that is not installed: npm install node-hl7-client',
      ],
      [
        { FHIR_PROFILE: 'canvas' },
        'FHIR_PROFILE: needs packages that are not installed: npm install pdfkit open-sans-fonts',
      ],
      [
        { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
        'OTEL_EXPORTER_OTLP_ENDPOINT: needs packages that are not installed: npm install @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace-node',
      ],
    ]
    for (const [env, sentence] of cases) {
      const started = await project.run(process.execPath, [main], { env: { ...settings, ...env } })
      expect(started.code).not.toBe(0)
      const [head, ...faults] = started.output
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith('{"level":"info"'))
      expect(head).toMatch(/^(pawl could not start: )?Fix these settings \(see \.env\.example\):$/)
      expect(faults).toEqual([`  ${sentence}`])
    }
    const [[env, sentence] = [{}, '']] = cases
    const examined = await project.run('npx', ['--offline', 'pawl', 'doctor'], { env: { ...settings, ...env } })
    expect(examined.code).toBe(2)
    expect(examined.output).toContain(sentence)
  })

  it('runs the sandbox, which the example of the README asks', async () => {
    const [, example = ''] = /```js\n\/\/ ask\.mjs\n([^]*?)```/.exec(await readPage('docs/client.md')) ?? []
    await project.write('ask.mjs', example)
    const sandbox = spawn(project.command, ['sandbox', '--port', '0'], { cwd: project.path })
    const exited = once(sandbox, 'exit')
    let output = ''
    for (const stream of [sandbox.stdout, sandbox.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    try {
      const [, url = '', token = ''] = await until('the sandbox is there', () => {
        if (sandbox.exitCode !== null) throw new Error(`it ended early:\n${output}`)
        return /listens on (\S+)[^]*organization:\n(\S+)\n[^]* trigger /.exec(output) ?? undefined
      })
      expect(output).toContain('\nnpx pawl sandbox trigger approved-with-transfer --port ')
      const env = { API_BASE_URL: url, API_TOKEN: token }
      expect(await project.run(process.execPath, ['ask.mjs'], { env })).toEqual({
        code: 0,
        output: 'The API is operational.\n',
      })
    } finally {
      sandbox.kill('SIGTERM')
    }
    expect(await exited).toEqual([0, null])
  })

  it('makes a project without a fork, which compiles, passes its test, starts, is what commands look at, and takes another version', async () => {
    const folder = 'my-gateway'
    const npx = (...args: string[]) => project.run('npx', ['--offline', 'pawl', ...args], { folder })
    expect(await project.run('npx', ['--offline', 'pawl', 'init', folder])).toMatchObject({ code: 0 })
    const again = await project.run('npx', ['--offline', 'pawl', 'init', folder])
    expect(again).toMatchObject({
      code: 1,
      output: expect.stringContaining('my-gateway exists already: choose another'),
    })
    const read = (path: string) => readFile(join(project.path, folder, path), 'utf8')
    // As npm writes it.
    const { name, dependencies } = JSON.parse(await read('package.json')) as Record<string, Record<string, string>>
    expect(name).toBe(folder)
    expect(dependencies?.pawl).toMatch(/^file:vendor\/pawl-\d+\.\d+\.\d+\.tgz$/)
    expect((await read(dependencies?.pawl?.slice('file:'.length) ?? '')).length).toBeGreaterThan(0)
    expect((await read('.gitignore')).split('\n')).toContain('.env')
    for (const [path, step] of [
      ['.github/workflows/ci.yml', '- run: npm test\n'],
      ['Dockerfile', 'npm ci '],
    ] as const)
      expect(await read(path)).toContain(step)
    for (const action of (await read('.github/workflows/ci.yml')).match(/(?<=uses: ).*/g) ?? [])
      expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    expect(await npx('handlers')).toMatchObject({ code: 2, output: expect.stringContaining('build it first') })

    // In the folder below, node_modules above counts as installed.
    await linkDevelopment()
    expect(await project.run('npm', ['--offline', 'test'], { folder })).toMatchObject({
      code: 0,
      output: expect.stringContaining('2 passed'),
    })
    expect(await npx('handlers')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^announce-approvals +latest[^]*Last runs are not known/m),
    })
    await configure(folder)
    await runsIn(folder, project.command)

    const manifest = JSON.parse(await readFile(join(project.path, 'node_modules/pawl/package.json'), 'utf8')) as {
      dependencies: object
      optionalDependencies: object
    }
    await cp(join(project.path, 'node_modules/pawl'), join(project.path, 'next'), { recursive: true })
    await project.write('next/package.json', JSON.stringify({ ...manifest, version: '9.0.0' }))
    await project.succeed('npm', ['pack', './next', '--ignore-scripts', '--pack-destination', `${folder}/vendor`])
    // npm takes links for installed and asks no registry, but would run the packages' scripts.
    const installed = { ...manifest.dependencies, ...manifest.optionalDependencies, typescript: '' }
    await project.link(Object.keys(installed), folder)
    const install = ['--offline', '--ignore-scripts', 'install', './vendor/pawl-9.0.0.tgz']
    await project.succeed('npm', install, join(project.path, folder))
    expect(JSON.parse(await read('package.json'))).toMatchObject({
      pawl: { integration: 'dist/integration.js' },
      dependencies: { pawl: 'file:vendor/pawl-9.0.0.tgz' },
    })
    expect(await npx('--version')).toEqual({ code: 0, output: '9.0.0\n' })
    expect(await project.run('npm', ['--offline', 'test'], { folder })).toMatchObject({ code: 0 })
    // On the ledger of the version before.
    await runsIn(folder, join(project.path, folder, 'node_modules/.bin/pawl'))

    // As docs/deploying.md has it.
    const settings = parseEnv(await read('.env'))
    const starts = [...deployingPage.matchAll(/^ExecStart=\/usr\/bin\/node (node_modules\/.*)$/gm)]
    expect(starts).toHaveLength(2)
    for (const [, main = ''] of starts) await runsIn(folder, process.execPath, [main], settings)
    const [, commands = ''] = blocksUnder(['### A project'])
    const moved = commands.replace('/opt/pawl', '.').replaceAll(/\/etc\/pawl\/\w+\.env/g, './.env')
    const examined = await project.run('sh', ['-c', moved], { folder })
    expect(examined.output).toMatch(/^integration +ok +It is .*my-gateway\/dist\/integration\.js\.$/m)
  })

  it('makes the project of docs/pharmacy.md, without a chart: it compiles, passes its test, starts and asks for no chart', async () => {
    const folder = 'pharmacy-alone'
    await linkDevelopment()
    expect(await project.run('npx', ['--offline', 'pawl', 'init', folder])).toMatchObject({ code: 0 })
    const page = await readExamples('docs/pharmacy.md')
    for (const [path, content] of page) await project.write(`${folder}/${path}`, content)
    expect(await project.run('npm', ['--offline', 'test'], { folder })).toMatchObject({
      code: 0,
      output: expect.stringMatching(/1 passed/),
    })
    await configure(folder)
    await runsIn(folder, project.command)
    const { output } = await project.run('npx', ['--offline', 'pawl', 'doctor'], { folder })
    expect(output).toMatch(/^integration +ok +It is .*pharmacy-alone\/dist\/integration\.js\.$/m)
    expect(output).toMatch(/^settings +ok/m)
    expect(output).toMatch(/^pharmacy /m)
    expect(output).not.toMatch(/^ehr |FHIR/m)
  })

  it('develops a project: a handler and a connector are written, run live, and a wrong handler is caught', async () => {
    const folder = 'in-development'
    const npx = (...args: string[]) => project.run('npx', ['--offline', 'pawl', ...args], { folder })
    await linkDevelopment()
    expect(await project.run('npx', ['--offline', 'pawl', 'init', folder])).toMatchObject({ code: 0 })
    for (const args of [
      ['handler', 'our-notes'],
      ['connector', 'billing'],
    ])
      expect(await npx('new', ...args)).toMatchObject({
        code: 0,
        output: expect.stringContaining('src/integration.ts'),
      })
    expect(await project.run('npm', ['--offline', 'test'], { folder })).toMatchObject({
      code: 0,
      output: expect.stringMatching(/3 passed/),
    })
    const script = [join(project.path, 'node_modules/pawl/dist/packages/dev/src/dev.js')]
    const dev = spawnDev(join(project.path, folder), await freeDevPorts(), ['--json'], {}, script)
    try {
      await dev.prints('pawl is running')
      expect(await npx('play', 'pa')).toMatchObject({ code: 0, output: expect.stringMatching(/^Created pa_req_/) })
      await dev.prints('this is how it stands now')
      const handler = join(project.path, folder, 'src/our-notes.ts')
      const source = await readFile(handler, 'utf8')
      await writeFile(handler, source.replace('this is how it stands now', 'this is said after an edit'))
      await dev.prints('src/our-notes.ts changed: the gateway restarts.')
      await npx('play', 'pa')
      await dev.prints('this is said after an edit')
      // In the chart once and never again: wrong as soon as the PA moves on.
      const wrong = source
        .replace('{ resource, log }', '{ resource, once, ehr }')
        .replace(/log\.info.*/, `await once('filed', () => ehr.putPriorAuthorization(resource))`)
      await writeFile(handler, wrong)
      await project.succeed('npm', ['--offline', 'run', 'build'], join(project.path, folder))
    } finally {
      await dev.end('SIGTERM')
    }
    const moves = [
      { do: 'create_pa', result: 'Approved', transfer: false },
      { do: 'settle' },
      { do: 'move_pa', pa: 0, to: 'processing' },
      { do: 'settle' },
    ]
    await project.write(`${folder}/run.json`, JSON.stringify({ rule: 'in-sync', seed: 3, steps: moves }))
    expect(await npx('conformance', '--replay', 'run.json')).toMatchObject({
      code: 1,
      output: expect.stringContaining('Task.businessStatus is created, not processing'),
    })
  })

  it('has types under strict, and runs a handler of the project within the test kit', async () => {
    await project.write('own.ts', own)
    await project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['own.ts'] }))
    expect(await project.run(compiler, ['-p', '.'])).toEqual({ code: 0, output: '' })
    const { code, output } = await project.run(process.execPath, [join('built', 'own.js')])
    expect({ code, output }).toMatchObject({ code: 0 })
    const call = { system: 'billing', method: 'invoice', args: ['pa_req_1'] }
    expect(JSON.parse(output)).toEqual({
      seen: ['pa_req_1 completed Approved undefined', 'pa_req_1 completed Approved http://127.0.0.1:9/'],
      alone: [call],
      through: [call],
    })
  })
})
