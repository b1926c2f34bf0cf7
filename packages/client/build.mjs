/** Builds the package from packages/client/src/index.ts and all that it imports, packages included: it has no dependencies. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundledLicences } from '../../scripts/bundled-licences.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const modules = join(root, 'node_modules')
const zodFolder = realpathSync(join(modules, 'zod'))
const dist = join(here, 'dist')
const types = join(dist, 'types')
rmSync(dist, { recursive: true, force: true })

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['packages/client/src/index.ts'],
  outdir: dist,
  bundle: true,
  // Keeps apart what is loaded with the first request.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  conditions: ['source'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  // For bundled CommonJS.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
})

execFileSync(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', here], { stdio: 'inherit' })
execFileSync(process.execPath, [join(root, 'scripts/join-packages.mjs'), types], { stdio: 'inherit' })
// The declarations are written in zod's types.
cpSync(zodFolder, join(types, 'zod'), { recursive: true, filter: isDeclaration })
for (const path of readdirSync(join(types, 'packages'), { recursive: true, encoding: 'utf8' })) {
  const file = join(types, 'packages', path)
  if (!file.endsWith('.d.ts')) continue
  const zod = relative(dirname(file), join(types, 'zod/index.js'))
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(["'])zod\1/g, `'${zod}'`))
}

const notices = bundledLicences(metafile, modules).map(({ name, text }) => `${name}\n\n${text}`)
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`))
copyFileSync(join(root, 'LICENSE'), join(dist, 'LICENSE'))

/**
 * Of zod's version 4, whose types the client's are inferred from.
 * @param {string} path
 * @returns {boolean}
 */
function isDeclaration(path) {
  const name = relative(zodFolder, path)
  if (statSync(path).isDirectory()) return /^($|v4($|\/(classic|core|locales)($|\/)))/.test(name)
  return (name === 'index.d.ts' || name.startsWith('v4/')) && name.endsWith('.d.ts')
}
