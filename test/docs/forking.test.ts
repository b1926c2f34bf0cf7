import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createForkTree, fewTests, type ForkTree, linkModules } from '../support/fork-tree.ts'
import { readExamples, readPage } from './readme-examples.ts'

const execute = promisify(execFile)
const page = await readPage('docs/forking.md')

/** The commands of the page under a heading, block by block. */
function commandsUnder(heading: string): string[] {
  const [section = ''] = (page.split(`\n## ${heading}\n`)[1] ?? '').split('\n## ')
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands)
}

/** The page's example in Markdown that begins with this line. */
function textAfter(line: string): string {
  return page.split(`\`\`\`md\n${line}\n`)[1]?.split('\n```')[0]?.trimStart() ?? ''
}

const [, , ourPackage = ''] = /^npm (install) (\S+)$/m.exec(page) ?? []

describe('a fork, as docs/forking.md makes it', () => {
  let upstream: ForkTree
  let folder: string
  let fork: string
  let env: Record<string, string | undefined>

  beforeAll(async () => {
    upstream = await createForkTree(new Map())
    folder = await mkdtemp(join(tmpdir(), 'pawl-forking-'))
    fork = join(folder, 'our-integration')
    const config = {
      'user.name': 'Sample',
      'user.email': 'sample@example.com',
      'init.defaultBranch': 'main',
      [`url.${upstream.path}.insteadOf`]: 'https://git.example/pawl.git',
      [`url.${join(folder, 'ours.git')}.insteadOf`]: 'https://git.example/our-integration.git',
    }
    const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, ...inherited } = process.env
    env = {
      ...inherited,
      ...fewTests,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: String(Object.keys(config).length),
      ...Object.fromEntries(
        Object.entries(config).flatMap(([key, value], n) => [
          [`GIT_CONFIG_KEY_${n}`, key],
          [`GIT_CONFIG_VALUE_${n}`, value],
        ]),
      ),
    }
    await run(`git init -q --bare ours.git`, folder)
    await run(
      `git init -q && echo node_modules >> .git/info/exclude && git add -A && git commit -qm 'One release'`,
      upstream.path,
    )
  })
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true })
    await upstream.destroy()
  })

  /** Runs commands as at a terminal; resolves with what they print, rejects with it when one fails. */
  async function run(commands: string, cwd = fork): Promise<string> {
    try {
      return (await execute('sh', ['-ec', commands], { cwd, env, maxBuffer: 67_108_864 })).stdout
    } catch (error) {
      // execFile's errors carry what was printed.
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
      // eslint-disable-next-line eslint/preserve-caught-error -- it would print all of that once more
      throw new Error(`${commands} failed:\n${stdout}${stderr}`)
    }
  }
  const commit = (root: string, message: string) => run(`git add -A && git commit -qm '${message}'`, root)

  async function edit(root: string, path: string, change: (text: string) => string): Promise<void> {
    const before = await readFile(join(root, path), 'utf8')
    const after = change(before)
    expect(after, path).not.toBe(before)
    await writeFile(join(root, path), after)
  }

  /** The names of the packages, in the order of the file. */
  async function packages(): Promise<string[]> {
    const { dependencies } = JSON.parse(await readFile(join(upstream.path, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    return Object.keys(dependencies)
  }

  /** As npm leaves both files, which it cannot do where there is no registry. */
  async function addPackage(name: string): Promise<void> {
    await run(`npm pkg set dependencies.${name}=^1.0.0`)
    await edit(fork, 'package-lock.json', (text) => {
      const lock = JSON.parse(text) as { packages: Record<string, { dependencies?: Record<string, string> }> }
      const { '': root = {}, ...others } = lock.packages
      const dependencies = sorted({ ...root.dependencies, [name]: '^1.0.0' })
      const all = sorted({ ...others, [`node_modules/${name}`]: { version: '1.0.0' } })
      return `${JSON.stringify({ ...lock, packages: { '': { ...root, dependencies }, ...all } }, undefined, 2)}\n`
    })
  }
  const sorted = <T>(object: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))

  /** A newer version of a package, in both files. */
  async function bump(name: string): Promise<void> {
    await edit(upstream.path, 'package.json', (text) => text.replace(`"${name}": "`, `"${name}": ">=0.0.1 || `))
    await edit(upstream.path, 'package-lock.json', (text) => text.replace(`"${name}": "`, `"${name}": ">=0.0.1 || `))
  }

  it('gets a remote for each side', async () => {
    await run(commandsUnder('Make a fork').join('\n'), folder)
    await linkModules(join(fork, 'node_modules'))
    await run('echo node_modules >> .git/info/exclude')
    expect(await run('git remote')).toBe('origin\nupstream\n')
    expect(await run('git status --short --branch')).toBe('## main...origin/main\n')
  })

  it('adds a connector with its setting, a handler, a copy of a template, a readme and a package', async () => {
    await run(commandsUnder('Add what is yours').join('\n'))
    for (const [path, text] of await readExamples('docs/forking.md')) await writeFile(join(fork, path), text)
    await writeFile(join(fork, 'src/integration/README.md'), `${textAfter('<!-- src/integration/README.md -->')}\n`)
    const [begin = '', end = ''] = (await readPage('README.md')).match(/<!-- fork: .* -->/g) ?? []
    await edit(fork, 'README.md', (text) => text.replace(`${begin}\n${end}`, `${begin}\n\n${textAfter(begin)}`))
    await addPackage(ourPackage)
    await commit(fork, 'Bill approvals')
    await run('git push -q')
    expect(await run(commandsUnder('Where you changed core').join('\n'))).toBe('')
  })

  it('merges an upstream that changed templates, the shipped list, README, core, settings and packages', async () => {
    const root = upstream.path
    const template = 'templates/prior-authorization-to-ehr/handler.ts'
    await edit(root, template, (text) =>
      text.replace('export default', '// Upstream knows better now.\nexport default'),
    )
    await edit(root, 'templates/index.ts', (text) =>
      text
        .replace('import letters', `import blank from './blank/handler.ts'\nimport letters`)
        .replace('  priorAuthorizationToEhr,', '  priorAuthorizationToEhr,\n  blank,'),
    )
    await edit(root, 'README.md', (text) =>
      text
        .replace('pawl receives', 'Since this release, pawl receives')
        .replace('## License', '## Thanks\n\nTo all.\n\n## License'),
    )
    await edit(root, 'src/work/retry.ts', (text) => `// Upstream was here.\n${text}`)
    await edit(root, 'src/receive/settings.ts', (text) =>
      text.replace(
        '  PORT: port(',
        "  NEW_SETTING: z.string().default('as before').describe('A setting of this release.'),\n  PORT: port(",
      ),
    )
    await edit(root, '.env.example', (text) =>
      text.replace('# Port of POST', '# A setting of this release.\n#NEW_SETTING=as before\n# Port of POST'),
    )
    await bump('zod')
    await commit(root, 'Another release')

    const [look = '', take = ''] = commandsUnder('Take an upgrade')
    expect(await run(look)).toMatch(/^\w+ Another release\n[^]*\+\/\/ Upstream knows better now\./)
    // Without a registry nothing can be installed; all tests, all checks but the types, a conformance run and a gateway are beyond a test.
    const beyond = /^npm (ci|test|run check|run conformance|run pawl -- doctor)$/
    const printed = await run(
      take
        .split('\n')
        .filter((command) => !beyond.test(command))
        .join('\n'),
    )
    await upstream.compile(fork)
    expect(printed).toMatch(/^blank /m)
    for (const handler of ['bill-approvals', 'our-chart', 'messages-to-ehr']) expect(printed).toContain(`\n${handler} `)
    expect(await run('git status --short')).toBe('')
    expect(await readFile(join(fork, 'README.md'), 'utf8')).toMatch(/Since this release[^]*our clinic[^]*## Thanks/)
    const { dependencies } = JSON.parse(await readFile(join(fork, 'package.json'), 'utf8')) as { dependencies: object }
    expect(dependencies).toMatchObject({ [ourPackage]: '^1.0.0', zod: expect.stringMatching(/^>=0\.0\.1/) })
  })

  it('still passes its tests, and those of the settings, after the merge', async () => {
    const printed = await run('npx vitest run --project main src/integration test/settings/config.test.ts')
    expect(printed).toContain('bill-approvals.test.ts')
    expect(printed).toContain('our-chart.test.ts')
    expect(printed).toContain('billing.test.ts')
  })

  it('has its setting checked with all others', async () => {
    const environment = {
      WEBHOOK_SECRETS: 'a-secret-of-at-least-thirty-two-characters',
      ROLE: 'receiver',
      BILLING_URL: 'nowhere',
    }
    const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
    await expect(run(`${settings.join(' ')} npm run dev:gateway`)).rejects.toThrow('BILLING_URL: ')
  })

  it('whose package stands beside one that upstream changed, is mended as the page says', async () => {
    const names = await packages()
    const next = names.find((name) => name > ourPackage) ?? ''
    await bump(next)
    await commit(upstream.path, 'A package')
    await expect(run('git fetch -q upstream && git merge upstream/main')).rejects.toThrow(
      'CONFLICT (content): Merge conflict in package.json',
    )
    const [mend = ''] = commandsUnder('Packages of your own')
    // Without a registry the line alone is added.
    await run(mend.replace(/npm install (\S+)/, 'npm pkg set dependencies.$1=^1.0.0'))
    expect(await run('git status --short')).toBe('')
    const { dependencies } = JSON.parse(await readFile(join(fork, 'package.json'), 'utf8')) as { dependencies: object }
    expect(dependencies).toMatchObject({ [ourPackage]: '^1.0.0', [next]: expect.stringMatching(/^>=0\.0\.1/) })
  })

  it('that changed core is shown what it carries', async () => {
    await edit(fork, 'src/work/retry.ts', (text) => `${text}// Ours.\n`)
    await commit(fork, 'Wait longer, as our chart is slow')
    expect(await run(commandsUnder('Where you changed core').join('\n'))).toMatch(
      /^\w+ Wait longer, as our chart is slow\n$/,
    )
  })
})
