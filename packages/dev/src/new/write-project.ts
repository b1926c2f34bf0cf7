import { existsSync, readFileSync } from 'node:fs'
import { copyFile, cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ownPackage } from '@pawl/base/own-package'
import { isInstalled } from '@pawl/base/project-folder'
import { z } from 'zod'
import { NewRefused } from './source.ts'

const Versions = z.record(z.string(), z.string())
const Manifest = z.object({ version: z.string(), dependencies: Versions, devDependencies: Versions })
/** The lock file that npm keeps in node_modules. */
const Installed = z.object({ packages: z.record(z.string(), z.object({ resolved: z.string().optional() })) })

/** Files of the template with a placeholder. */
const filled = ['package.json', 'README.md']

/** Writes a project that depends on pawl into the new folder `name` of `parent`. A package installed from a file is copied along. Throws `NewRefused`, with nothing written. */
export async function writeProject(parent: string, name: string): Promise<void> {
  const { folder: own } = ownPackage()
  const folder = join(parent, name)
  if (existsSync(folder)) throw new NewRefused(`${name} exists already: choose another name.`)
  if (!isInstalled())
    throw new NewRefused(
      'A project of its own needs the package: npm pack here, then npx --package ./pawl-VERSION.tgz pawl init NAME elsewhere.',
    )
  const { version, dependencies, devDependencies } = Manifest.parse(
    JSON.parse(await readFile(join(own, 'package.json'), 'utf8')),
  )
  const file = findPackageFile(dirname(own))
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
  if (file === undefined) return
  await mkdir(join(folder, 'vendor'))
  await copyFile(file, join(folder, 'vendor', basename(file)))
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
