/** Makes one package of a build: imports of the workspace's packages by name become paths within `dist`, or the folder that is named; the ledger's thread becomes one file. */
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundledLicences } from './bundled-licences.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = resolve(process.argv[2] ?? join(root, 'dist'))

/**
 * What was built of each export of a package, by the name that is imported.
 * @type {Map<string, string>}
 */
const built = new Map()
for (const folder of readdirSync(join(root, 'packages'))) {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
  for (const [path, { source }] of Object.entries(exports))
    if (source !== undefined)
      built.set(`${name}${path.slice(1)}`, join(dist, 'packages', folder, source.replace(/\.tsx?$/, '.js')))
}

for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!/\.(js|d\.ts)$/.test(path)) continue
  const file = join(dist, path)
  const before = readFileSync(file, 'utf8')
  const after = before.replace(/(?<=\b(?:from|import)\s*\(?\s*)(["'])([@\w][^"'\n]*)\1/g, (whole, quote, name) => {
    const target = built.get(name)
    if (target === undefined) return whole
    const to = relative(dirname(file), target)
    return quote + (to.startsWith('.') ? to : `./${to}`) + quote
  })
  if (after !== before) writeFileSync(file, after)
}

// The FHIR server of development reads its definitions from beside its code.
const definitions = 'packages/testing/src/services/fhir-r4.json.br'
if (existsSync(dirname(join(dist, definitions)))) cpSync(join(root, definitions), join(dist, definitions))

// It starts twice with pawl, once for the views: one file loads in a fifth of the time of four hundred.
const thread = join(dist, 'packages/ledger/src/sqlite/thread.js')
// What holds the client's types alone has none.
if (existsSync(thread)) await bundleThread()

async function bundleThread() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [thread],
    outfile: thread,
    allowOverwrite: true,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Native code, and the driver of the other database.
    external: ['better-sqlite3', 'better-sqlite3-12', 'pg'],
    metafile: true,
  })
  for (const { text } of bundledLicences(metafile, join(root, 'node_modules')))
    appendFileSync(thread, `\n/*! ${text}*/\n`)
}
