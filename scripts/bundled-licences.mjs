import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The licences of the packages that a bundle holds, which ask for a copy of themselves with the code; by name.
 * @param {{ inputs: Record<string, unknown> }} metafile
 * @param {string} modules
 * @returns {{ name: string, text: string }[]}
 */
export function bundledLicences({ inputs }, modules) {
  const names = Object.keys(inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])
  return [...new Set(names)].toSorted().map((name) => {
    const licence = readdirSync(join(modules, name)).find((file) => /^licen[cs]e/i.test(file))
    if (licence === undefined) throw new Error(`${name} has no licence to bundle.`)
    return { name, text: readFileSync(join(modules, name, licence), 'utf8') }
  })
}
