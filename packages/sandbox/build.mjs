/** Builds the package from packages/sandbox/src/main.ts and all that it imports, packages and the renderer of the reference included: it has no dependencies. */
import { chmodSync, copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const modules = join(root, 'node_modules')
const redoc = join(here, 'reference/node_modules/redoc')
const dist = join(here, 'dist')
if (!existsSync(redoc)) throw new Error('The reference has no renderer to bundle: npm run reference installs it.')
rmSync(dist, { recursive: true, force: true })

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['packages/sandbox/src/main.ts'],
  outdir: dist,
  bundle: true,
  // Commands for a running sandbox load none.
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
  banner: { js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);" },
})

const main = join(dist, 'main.js')
writeFileSync(main, `#!/usr/bin/env node\n${readFileSync(main, 'utf8')}`)
chmodSync(main, 0o755)
cpSync(join(here, 'src/scenarios/shipped'), join(dist, 'shipped'), { recursive: true })
copyFileSync(join(modules, 'htmx.org/dist/htmx.min.js'), join(dist, 'htmx.min.js'))
for (const file of ['redoc.standalone.js', 'redoc.standalone.js.LICENSE.txt'])
  copyFileSync(join(redoc, 'bundles', file), join(dist, file))

const bundled = new Set(
  Object.keys(metafile.inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
)
const folders = [...[...bundled, 'htmx.org'].toSorted().map((name) => join(modules, name)), redoc]
const notices = folders.map((folder) => {
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
  if (licence === undefined) throw new Error(`${name} has no licence to bundle.`)
  return `${name}\n\n${readFileSync(join(folder, licence), 'utf8')}`
})
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`))
copyFileSync(join(root, 'LICENSE'), join(dist, 'LICENSE'))
