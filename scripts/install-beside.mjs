/**
 * Installs folders that have a lock file of their own, each unless it is installed as that says:
 * node scripts/install-beside.mjs tools bench test/foreign
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

for (const folder of process.argv.slice(2)) {
  const lock = readFileSync(join(root, folder, 'package-lock.json'), 'utf8')
  const mark = join(root, folder, 'node_modules/.installed-lock.json')
  if (readIfThere(mark) === lock) continue
  process.stderr.write(`Installing ${folder}/package.json: its libraries are no part of npm ci.\n`)
  const args = ['ci', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--loglevel=error']
  execFileSync('npm', args, { cwd: join(root, folder), stdio: ['ignore', 'ignore', 'inherit'] })
  // Last: a folder without it was not installed to the end.
  writeFileSync(mark, lock)
}

/**
 * @param {string} path
 * @returns {string | undefined}
 */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
