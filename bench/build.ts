import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Compiles the sources as they are now into a folder of their own, so that every server of a benchmark runs plain JavaScript, as in production; resolves with the folder. */
export async function build(): Promise<string> {
  await mkdir(join(root, 'dist'), { recursive: true })
  const folder = await mkdtemp(join(root, 'dist', 'bench-'))
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  // Types are checked by `npm run check`.
  await promisify(execFile)(process.execPath, [compiler, '-p', join(root, 'bench'), '--noCheck', '--outDir', folder], {
    cwd: root,
  })
  await promisify(execFile)(process.execPath, [join(root, 'scripts', 'join-packages.mjs'), folder])
  await symlink(join(root, 'bench', 'node_modules'), join(folder, 'bench', 'node_modules'))
  // The console shows them.
  await symlink(join(root, 'docs'), join(folder, 'docs'))
  // Templates import #pawl: it must be the copy beside them, which the nearest package.json says.
  const imports = { '#pawl': './src/index.js', '#package.json': './package.json' }
  const description = { name: 'pawl', type: 'module', version: 'benchmark', imports }
  await writeFile(join(folder, 'package.json'), JSON.stringify(description))
  return folder
}
