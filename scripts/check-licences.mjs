import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Licences (SPDX) that ask for no more than their own text. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
])

const lockFile = process.argv[2] ?? 'package-lock.json'
const { packages } = JSON.parse(readFileSync(lockFile, 'utf8'))
/** Optional packages that operators install beside pawl, and their dependencies: they are in the lock file for development. */
const peers = new Set(Object.keys(packages['']?.peerDependencies ?? {}))
for (const name of peers)
  for (const [path, { dependencies = {} }] of Object.entries(packages))
    if (nameOf(path) === name) for (const needed of Object.keys(dependencies)) peers.add(needed)
const shipped = Object.entries(packages).filter(
  ([path, { dev, link }]) => path !== '' && !link && (!dev || peers.has(nameOf(path))),
)
const refused = shipped.flatMap(([path, entry]) => {
  const licence = entry.license ?? statedBy(path)
  return licence !== undefined && fits(licence) ? [] : [`${path}: ${licence ?? 'no licence is stated'}`]
})

if (refused.length > 0) {
  console.error(
    `These production dependencies have licences that nobody agreed to:\n${refused.map((line) => `  ${line}`).join('\n')}`,
  )
  console.error('Take them out, or add their licences to scripts/check-licences.mjs.')
  process.exitCode = 1
} else {
  const installed = shipped.filter(([, { dev }]) => !dev)
  // `devOptional`: needed by development, and by an optional package.
  const optional = installed.filter((entry) => entry[1].optional || entry[1].devOptional)
  console.log(
    `${installed.length - optional.length} production dependencies, ${optional.length} optional ones, and ${shipped.length - installed.length} of optional settings, all under licences that were agreed to.`,
  )
}

/**
 * @param {string} path
 * @returns {string}
 */
function nameOf(path) {
  return path.split('node_modules/').at(-1) ?? ''
}

/**
 * Licence stated by an installed package where the lock file has none: some state a list.
 * @param {string} path
 * @returns {string | undefined}
 */
function statedBy(path) {
  try {
    const folder = join(dirname(lockFile), path)
    const { license, licenses } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return license ?? licenses?.map((/** @type {{ type: string }} */ { type }) => type).join(' AND ') ?? inFile(folder)
  } catch {
    return undefined
  }
}

/**
 * MIT, where a package has its text and no word of it in its manifest.
 * @param {string} folder
 * @returns {string | undefined}
 */
function inFile(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(\.(md|txt))?$/i.test(name))
  return file !== undefined && readFileSync(join(folder, file), 'utf8').startsWith('MIT License\n') ? 'MIT' : undefined
}

/**
 * Whether an SPDX expression leaves a way that is allowed.
 * @param {string} expression
 * @returns {boolean}
 */
function fits(expression) {
  // AND binds more closely than OR; what is more involved than that is for people to read.
  const ways = expression.replaceAll(/^\(|\)$/g, '').split(' OR ')
  return ways.some((way) => way.split(' AND ').every((licence) => allowed.has(licence.trim())))
}
