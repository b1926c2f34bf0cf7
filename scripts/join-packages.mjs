/** Makes one package of a build: imports of the workspace's packages by name become paths within `dist`, or the folder that is named. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

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
