import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import {
  copyFile,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseJson } from '../../packages/base/src/parse-json.ts'
import { bundle } from './build-once.ts'
import { isInstalled } from './needs.ts'
import { buildVariable } from './run-script.ts'
import { shippedIndex } from './shipped-integration.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

/** Parts of the project that a fork copies. */
const parts =
  `src templates packages test bench tools scripts docs README.md LICENSE .env.example package.json package-lock.json tsconfig.json tsconfig.build.json
  vitest.config.ts .oxlintrc.json .dependency-cruiser.mjs .prettierrc.json .prettierignore .gitignore`.split(/\s+/)

/** Makes a folder `node_modules` as npm does: links to what this checkout has installed, and to the packages of the workspace beside that folder. */
export async function linkModules(folder: string): Promise<void> {
  const installed = join(root, 'node_modules')
  const names = await readdir(installed)
  await mkdir(folder)
  for (const name of names) {
    const inside = name.startsWith('@')
      ? (await readdir(join(installed, name))).map((each) => join(name, each))
      : [name]
    if (inside.length !== 1 || inside[0] !== name) await mkdir(join(folder, name))
    for (const each of inside) {
      const path = join(installed, each)
      const isOfWorkspace = (await lstat(path)).isSymbolicLink() && (await readlink(path)).includes('../packages/')
      await symlink(isOfWorkspace ? await readlink(path) : path, join(folder, each))
    }
  }
}

/** Copies the project as it is shipped, without src/integration and what is installed; for a whole run of tests, from one copy. */
async function copyProject(to: string): Promise<void> {
  const build = process.env[buildVariable]
  if (build === undefined) return copyParts(to)
  const shared = join(build, 'project')
  if (!existsSync(shared)) {
    const own = await mkdtemp(`${shared}-`)
    await copyParts(own)
    // Another worker may have been quicker.
    await rename(own, shared).catch((error: unknown) => {
      if (!existsSync(shared)) throw error
    })
  }
  await execute('cp', ['-R', `${shared}/.`, to])
}

async function copyParts(to: string): Promise<void> {
  const own = join(root, 'src/integration')
  const filter = (source: string) => source !== own && basename(source) !== 'node_modules'
  for (const part of parts) await cp(join(root, part), join(to, part), { recursive: true, filter })
}

/** What the compiler of `npm run dev` found; another fork takes it over. */
const devTypes = 'data/dev/types.tsbuildinfo'

/** Whether the file is there; its writer may have been killed. */
function isWhole(path: string): boolean {
  return existsSync(path) && parseJson(readFileSync(path, 'utf8')) !== undefined
}

/** For Vitest in a fork, whose few tests take less time than to import the project in each worker, or to bundle it. */
export const fewTests = { VITEST_MAX_WORKERS: '1', [buildVariable]: '' }

/** Makes of what the compiler found in `npm run check` what it would have found in a fork, whose modules are links. */
async function takeOverCheck(own: string): Promise<void> {
  const found = await readFile(join(root, 'tsconfig.tsbuildinfo'), 'utf8').catch(() => undefined)
  const modules = join(relative(dirname(own), root), 'node_modules/')
  if (found !== undefined) await writeFile(own, found.replaceAll('"./node_modules/', `"${modules}`))
}

/** Programs of tools/package.json, each with a file of its own there. */
const tools = new Set(['oxlint', 'depcruise'])

/** A copy of the project in a folder of its own, with files of a fork in it. */
export interface ForkTree {
  path: string
  /** Runs a program of node_modules or tools there; resolves with what it printed, rejects with it when it fails and may not. */
  run(
    program: string,
    args: readonly string[],
    env?: Record<string, string>,
    options?: { mayFail?: boolean },
  ): Promise<string>
  /** Runs `tsc --noEmit`, there or in a clone of the fork, which takes over what the compiler found in another fork of the same sources. */
  compile(where?: string): Promise<void>
  /** Bundles these scripts, which then start in a fifth of the time. */
  bundle(scripts: readonly string[]): Promise<void>
  destroy(): Promise<void>
}

/** Makes a fork: the project as it is shipped, regardless of src/integration here, and these files, by their paths from its root. */
export async function createForkTree(files: ReadonlyMap<string, string>): Promise<ForkTree> {
  const path = await mkdtemp(join(tmpdir(), 'pawl-fork-'))
  await copyProject(path)
  await linkModules(join(path, 'node_modules'))
  await symlink(join(root, 'tools/node_modules'), join(path, 'tools/node_modules'))
  for (const [name, text] of new Map([['src/integration/index.ts', shippedIndex], ...files])) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), text)
  }
  const sharedTypes = process.env[buildVariable] && join(process.env[buildVariable], 'dev.tsbuildinfo')
  if (sharedTypes !== undefined && existsSync(sharedTypes)) {
    await mkdir(dirname(join(path, devTypes)), { recursive: true })
    await copyFile(sharedTypes, join(path, devTypes))
  }
  const tree: ForkTree = {
    path,
    async run(program, args, env = {}, { mayFail = false } = {}) {
      const isTool = tools.has(program)
      if (isTool && !isInstalled('tools')) return ''
      const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, ...inherited } = process.env
      try {
        const options = { cwd: path, env: { ...inherited, ...fewTests, ...env }, maxBuffer: 67_108_864 }
        const { stdout } = await execute(
          join(path, isTool ? `tools/${program}.mjs` : `node_modules/.bin/${program}`),
          args,
          options,
        )
        return stdout
      } catch (error) {
        // execFile's errors carry what was printed.
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
        if (mayFail) return stdout
        // eslint-disable-next-line eslint/preserve-caught-error -- it would print all of that once more
        throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`)
      }
    },
    async compile(where = path) {
      // The compiler's notes name files relative to their own place.
      const own = join(where, 'tsconfig.tsbuildinfo')
      const build = process.env[buildVariable]
      const shared = build && join(build, 'fork.tsbuildinfo')
      if (shared !== undefined && existsSync(shared)) await copyFile(shared, own)
      else await takeOverCheck(own)
      await tree.run('tsc', ['--noEmit', '--project', where, '--incremental', '--tsBuildInfoFile', own])
      if (shared === undefined) return rm(own)
      // At once, as other workers may read it.
      await rename(own, shared)
    },
    bundle: (scripts) => bundle(path, scripts, join(path, 'dist')),
    async destroy() {
      if (sharedTypes !== undefined && isWhole(join(path, devTypes))) await rename(join(path, devTypes), sharedTypes)
      await rm(path, { recursive: true, force: true })
    },
  }
  return tree
}
