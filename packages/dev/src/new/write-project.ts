import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { ownPackage } from '@pawl/base/own-package'
import { isInstalled } from '@pawl/base/project-folder'
import { z } from 'zod'
import { checkedName } from './checked-name.ts'
import { NewRefused } from './source.ts'

const Versions = z.record(z.string(), z.string())
const Manifest = z.object({ version: z.string(), dependencies: Versions, devDependencies: Versions })
/** The lock file that npm keeps in node_modules. */
const Installed = z.object({ packages: z.record(z.string(), z.object({ resolved: z.string().optional() })) })

/** Files of the template with a placeholder. */
const filled = ['package.json', 'README.md']

/** Writes a project that depends on pawl into a new folder, whose name it gets. A package that was installed from a file is copied along; a checkout packs itself. Throws `NewRefused`, with nothing written. */
export async function writeProject(folder: string): Promise<void> {
  const { folder: own } = ownPackage()
  const name = checkedName(basename(folder))
  if (existsSync(folder)) throw new NewRefused(`${folder} exists already: choose another name.`)
  const { version, dependencies, devDependencies } = Manifest.parse(
    JSON.parse(await readFile(join(own, 'package.json'), 'utf8')),
  )
  const vendor = join(folder, 'vendor')
  const file = isInstalled() ? findPackageFile(dirname(own)) : await pack(own, { vendor, folder })
  const values = {
    NAME: name,
    PAWL: file === undefined ? version : `file:vendor/${basename(file)}`,
    ZOD: dependencies.zod,
    TYPES_NODE: dependencies['@types/node'],
    TYPESCRIPT: devDependencies.typescript,
    MEDPLUM_CORE: devDependencies['@medplum/core'],
    MEDPLUM_ROUTER: devDependencies['@medplum/fhir-router'],
    FAST_CHECK: devDependencies['fast-check'],
    PINO_PRETTY: devDependencies['pino-pretty'],
    PRETTIER: devDependencies.prettier,
    VITEST: devDependencies.vitest,
  }
  await cp(join(own, 'templates/project'), folder, { recursive: true })
  // npm never packs a file of this name.
  await rename(join(folder, 'gitignore'), join(folder, '.gitignore'))
  for (const path of filled) {
    let text = await readFile(join(folder, path), 'utf8')
    for (const [placeholder, value = '*'] of Object.entries(values)) text = text.replace(placeholder, () => value)
    await writeFile(join(folder, path), text)
  }
  if (file === undefined || dirname(file) === vendor) return
  await mkdir(vendor)
  await copyFile(file, join(vendor, basename(file)))
}

/** Makes the package of a checkout; resolves with its path. */
async function pack(own: string, { vendor, folder }: { vendor: string; folder: string }): Promise<string> {
  await mkdir(vendor, { recursive: true })
  try {
    await promisify(execFile)('npm', ['pack', '--pack-destination', vendor], { cwd: own, maxBuffer: 67_108_864 })
  } catch (error) {
    await rm(folder, { recursive: true })
    throw new NewRefused('The package could not be made: npm pack says why.', { cause: error })
  }
  return join(vendor, `pawl-${ownPackage().version}.tgz`)
}

/** The tarball that npm installed pawl from; `undefined` for a registry. */
function findPackageFile(modules: string): string | undefined {
  const lockFile = join(modules, '.package-lock.json')
  if (!existsSync(lockFile)) return undefined
  const { data } = Installed.safeParse(JSON.parse(readFileSync(lockFile, 'utf8')))
  const { resolved } = data?.packages['node_modules/pawl'] ?? {}
  if (!resolved?.startsWith('file:')) return undefined
  const path = resolve(dirname(modules), resolved.slice('file:'.length))
  if (!existsSync(path)) throw new NewRefused(`pawl was installed from ${path}, which is gone: restore it.`)
  return path
}
