import { chmod, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { buildVariable } from './run-script.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** pawl, and the threads that it starts. */
export const ofPawl = [
  'src/main.ts',
  'packages/ledger/src/sqlite/thread.ts',
  'packages/ehr/src/narrative/pdf-thread.ts',
  'packages/ledger/src/sqlite/open-sqlite.ts',
]

/** Scripts that tests start as processes of their own. */
const scripts = [
  ...ofPawl,
  'src/cli/pawl.ts',
  'src/cli/healthcheck.ts',
  'packages/dev/src/demo.ts',
  'packages/sandbox/src/main.ts',
  'test/faults/journal-main.ts',
  'packages/conformance/src/pawl-process.ts',
  'packages/conformance/test/wrong/integration.ts',
]

/** Native code, what a setting names, and tools of a checkout. */
export const external =
  `better-sqlite3 better-sqlite3-12 cpu-features esbuild mysql2 node-hl7-client nodemailer open-sans-fonts pdfkit pg-native
  prettier ssh2-sftp-client typescript @medplum/* @opentelemetry/* #package.json`.split(/\s+/)

let folder = ''

/**
 * Bundles pawl, and a process of tests that starts often, into a folder of its own before the tests run: a bundle starts in a fifth of the
 * time of the sources, and in half that of the build, which test/package.test.ts makes and starts.
 */
export async function setup(): Promise<void> {
  // Whoever runs the tests of a fork wants no build.
  if (process.env[buildVariable] === '') return
  // Another project of this run was first.
  const ofThisRun = join(tmpdir(), `pawl-build-${process.pid}-`)
  if (process.env[buildVariable]?.startsWith(ofThisRun)) return
  folder = await mkdtemp(ofThisRun)
  // Some tests run it as another user.
  await chmod(folder, 0o755)
  const dist = join(folder, 'dist')
  await bundle(root, scripts, dist)
  const shipped = 'packages/sandbox/src/scenarios/shipped'
  await cp(join(root, shipped), join(dist, shipped), { recursive: true })
  for (const part of ['package.json', 'node_modules']) await symlink(join(root, part), join(folder, part))
  process.env[buildVariable] = folder
}

/** Bundles scripts of a tree of the project into the folder `dist`. */
export async function bundle(tree: string, entryPoints: readonly string[], dist: string): Promise<void> {
  await build({
    absWorkingDir: tree,
    entryPoints: [...entryPoints],
    outbase: tree,
    outdir: dist,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['source'],
    external,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'error',
    // Packages in CommonJS ask for modules of Node.js.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    },
    plugins: [placesOf(tree, dist)],
  })
}

/** Demo and development environment, which start their gateway from the sources, and their FHIR server, which reads its definitions beside them. */
const ofCheckout = /\/packages\/(dev\/src\/(demo\b|dev\.ts$)|testing\/src\/services\/)/

/** A module finds files and packages from the place that the compiler would have given it. */
const placesOf = (tree: string, dist: string): Plugin => ({
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      const built = join(dist, relative(tree, path).replace(/\.tsx?$/, '.js'))
      // The address of an integration names its fault.
      if (path.endsWith('/test/wrong/integration.ts')) return undefined
      const place = pathToFileURL(ofCheckout.test(path) ? path : built).href
      const source = await readFile(path, 'utf8')
      return {
        contents: source.replaceAll('import.meta.url', JSON.stringify(place)),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      }
    })
  },
})

export async function teardown(): Promise<void> {
  if (folder !== '') await rm(folder, { recursive: true, force: true })
}
