import { readdirSync, readFileSync } from 'node:fs'
import { readScenario } from './read-scenario.ts'
import type { Scenario } from './schema.ts'

// The build copies them: tsconfig.build.json includes them by name.
const folder = new URL('shipped/', import.meta.url)

/** Sorted names of the shipped scenarios: their files without extension. */
export function shippedNames(): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .toSorted()
}

/** A shipped scenario; undefined for an unknown name. */
export function shippedScenario(name: string): Scenario | undefined {
  if (!shippedNames().includes(name)) return undefined
  return readScenario(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')))
}
