import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildVariable } from './run-script.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let folder = ''

/** Builds pawl, and a process of tests that starts often, into a folder of its own before the tests of a project run: what is built starts in half the time, and is what people deploy. */
export async function setup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'pawl-build-'))
  // Some tests run it as another user.
  await chmod(folder, 0o755)
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const args = [compiler, '-p', 'test/support/tsconfig.build-once.json', '--outDir', join(folder, 'dist')]
  await promisify(execFile)(process.execPath, args, { cwd: root })
  await copyFile(join(root, 'package.json'), join(folder, 'package.json'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  process.env[buildVariable] = folder
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true })
}
