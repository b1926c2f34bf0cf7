import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { z } from 'zod'

const root = fileURLToPath(new URL('..', import.meta.url))
const Versions = z.record(z.string(), z.string()).default({})
const Target = z.union([z.string(), z.looseObject({ source: z.string().optional() })])
const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  imports: z.record(z.string(), Target).default({}),
  exports: z.record(z.string(), Target),
  dependencies: Versions,
  devDependencies: Versions,
  peerDependencies: Versions,
  optionalDependencies: Versions,
})
const readManifest = (folder: string) =>
  Manifest.parse(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')))

/** The file behind a name, where one runs from the sources. */
const sourceOf = (target: z.infer<typeof Target>) => (typeof target === 'string' ? undefined : target.source)

const whole = readManifest('.')
const packages = readdirSync(join(root, 'packages')).map((folder) => {
  const manifest = readManifest(join('packages', folder))
  return { folder, ...manifest }
})
/** Loaded at run time: whichever release fits Node.js, and what a setting names, which the whole has as optional peers. */
const namedAtRunTime = new Set(['better-sqlite3', 'esbuild', ...Object.keys(whole.peerDependencies)])

interface Import {
  from: string
  name: string
}

/** Imports by name of the sources in a folder, its tests left out. */
function importsOf(folder: string): Import[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => {
      const names = readFileSync(path, 'utf8').matchAll(/(?:\bfrom |^import |\bimport\()'([@\w][^'\s]*)'/gm)
      const from = relative(root, path).split(sep).join('/')
      return [...names].map(([, name = '']) => ({ from, name }))
    })
}

const imports = ['src', ...packages.map(({ folder }) => `packages/${folder}/src`)].flatMap(importsOf)
/** The package of an import: `@pawl/base` of `@pawl/base/errors`. */
const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')

it.each(packages)('packages/$folder exports nothing that no other package imports', ({ folder, name, exports }) => {
  const own = `packages/${folder}/`
  const used = new Set(imports.filter(({ from }) => !from.startsWith(own)).map((each) => each.name))
  // A fork imports it as the whole names it, such as `#pawl/testing`.
  const given = new Set(Object.values(whole.imports).map((target) => sourceOf(target)))
  const named = Object.entries(exports).flatMap(([path, target]) =>
    sourceOf(target) === undefined || given.has(`./${own}${sourceOf(target)?.slice(2)}`) ? [] : [name + path.slice(1)],
  )
  expect(named.filter((each) => !used.has(each) && !neededByTypes.has(each))).toEqual([])
})

/** Declarations of other packages name their types. */
const neededByTypes = new Set(['pawl-client/schemas/shape', '@pawl/console/alerts/find-alerts'])

it.each(packages)('packages/$folder declares what it imports, in the ranges of the whole', (manifest) => {
  const { dependencies, devDependencies } = manifest
  // What the client bundles, its users do not install.
  const declared = { ...dependencies, ...devDependencies }
  const imported = new Set(
    imports
      .filter(({ from }) => from.startsWith(`packages/${manifest.folder}/`))
      .map(({ name }) => packageOf(name))
      .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name) && !namedAtRunTime.has(name)),
  )
  expect(
    [...imported].filter((name) => declared[name] === undefined && declared[`@types/${name}`] === undefined),
  ).toEqual([])
  const ranges = {
    ...whole.devDependencies,
    ...whole.peerDependencies,
    ...whole.optionalDependencies,
    ...whole.dependencies,
    ...Object.fromEntries(packages.map(({ name, version }) => [name, version])),
  }
  for (const [name, range] of Object.entries(declared)) expect({ name, range }).toEqual({ name, range: ranges[name] })
  expect(manifest.version).toBe(whole.version)
})
