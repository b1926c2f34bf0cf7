import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createForkTree } from './fork-tree.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Output and exit of a program. */
export interface Ran {
  code: unknown
  output: string
}

/** A project of its own. */
export interface Project {
  path: string
  write(name: string, text: string): Promise<void>
  /** Runs a program there, or in a folder below. */
  run(
    program: string,
    args: readonly string[],
    options?: { env?: Record<string, string>; folder?: string },
  ): Promise<Ran>
  /** Runs a program there, or in another folder; rejects when it fails. */
  succeed(program: string, args: readonly string[], folder?: string): Promise<string>
  /** Puts links to these packages of the checkout into node_modules, there or in a folder below. */
  link(names: readonly string[], folder?: string): Promise<void>
  destroy(): Promise<void>
}

/** A project that has nothing but pawl's package installed. */
export interface PackedProject extends Project {
  /** Files of the package, by paths from its root. */
  files: readonly string[]
  /** The `pawl` of node_modules/.bin. */
  command: string
}

/** Files that must not reach a package, in the tree that it is packed from. */
const leftovers = new Map([
  ['.env', 'API_TOKEN=a-token\n'],
  ['data/pawl.db', ''],
  ['dist/src/left-over.js', ''],
  ['src/integration/own.test.ts', `import { it } from 'vitest'\nit('runs', () => {})\n`],
])

/** Packs a copy of the project as `pawl init` of a checkout does, and installs the package in a project of its own: pawl itself is copied there, the packages that it depends on are links into this checkout, and there are no others. `tar` is the program's path. */
export async function createPackedProject(tar: string): Promise<PackedProject> {
  const project = await createProject()
  const { path, succeed } = project
  const modules = join(path, 'node_modules')
  const installed = join(modules, 'pawl')
  await mkdir(installed, { recursive: true })
  const tree = await createForkTree(leftovers)
  const ofCheckout = join(path, 'of-checkout')
  try {
    // As README has it; what `npm pack` makes goes along.
    await succeed('npm', ['run', 'pawl', '--', 'init', ofCheckout], tree.path)
  } finally {
    await tree.destroy()
  }
  const [tarball = ''] = await readdir(join(ofCheckout, 'vendor'))
  await rename(join(ofCheckout, 'vendor', tarball), join(path, tarball))
  await rm(ofCheckout, { recursive: true })
  await succeed(tar, ['-xzf', tarball, '--strip-components=1', '-C', installed])
  // npm 11 keeps this of a package that it installed from a file.
  const lock = { lockfileVersion: 3, packages: { 'node_modules/pawl': { resolved: `file:${tarball}` } } }
  await writeFile(join(modules, '.package-lock.json'), JSON.stringify(lock))
  const entries = await readdir(installed, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))

  const listed = await succeed('npm', ['ls', '--omit=dev', '--all', '--parseable'], root)
  const names = listed.split('\n').map((line) => relative(join(root, 'node_modules'), line))
  // Those that lie within another package come with it.
  await project.link(names.filter((name) => /^(@[^/.]+\/)?[^/.@][^/]*$/.test(name)))
  // As npm writes it.
  const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as { bin: { pawl: string } }
  const command = join(modules, '.bin/pawl')
  await chmod(join(installed, bin.pawl), 0o755)
  await mkdir(dirname(command))
  await symlink(join(installed, bin.pawl), command)
  for (const name of ['tsc', 'vitest'])
    await symlink(join(root, 'node_modules/.bin', name), join(modules, '.bin', name))
  return { ...project, files: files.map((file) => relative(installed, file)), command }
}

/** Makes an empty project. */
export async function createProject(): Promise<Project> {
  const path = await mkdtemp(join(tmpdir(), 'pawl-packed-'))
  await writeFile(join(path, 'package.json'), '{ "type": "module" }\n')
  return {
    path,
    async write(name, text) {
      await mkdir(dirname(join(path, name)), { recursive: true })
      await writeFile(join(path, name), text)
    },
    run: (program, args, { env = {}, folder = '.' } = {}) => run(program, args, join(path, folder), env),
    succeed: (program, args, folder = path) => succeed(program, args, folder),
    async link(names, folder = '.') {
      for (const name of names) {
        const link = join(path, folder, 'node_modules', name)
        await mkdir(dirname(link), { recursive: true })
        await symlink(join(root, 'node_modules', name), link)
      }
    },
    destroy: () => rm(path, { recursive: true, force: true }),
  }
}

function run(program: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Ran> {
  const { PATH = '', HOME = '' } = process.env
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env: { PATH, HOME, ...env }, maxBuffer: 67_108_864 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: error === null ? stdout : stdout + stderr }),
    )
  })
}

async function succeed(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, output } = await run(program, args, cwd)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${output}`)
  return output
}
