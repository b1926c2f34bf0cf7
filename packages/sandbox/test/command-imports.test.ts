import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const source = fileURLToPath(new URL('../src/', import.meta.url))

/** Every file of the package that a file loads at its start, itself included; types are not loaded. */
function loadedBy(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  const text = readFileSync(file, 'utf8')
  for (const [, path = ''] of text.matchAll(/^(?:import|export) (?!type )[^']*'(\.\.?\/[^']+)'/gm))
    loadedBy(fileURLToPath(new URL(path, `file://${file}`)), found)
  return found
}

it.each(['main.ts', 'commands/run-subcommand.ts'])(
  '%s answers quickly: a command that talks to a running sandbox loads neither it nor its documents',
  (name) => {
    const loaded = [...loadedBy(source + name)].map((file) => file.slice(source.length))
    expect(loaded).toContain(name)
    expect(loaded.filter((file) => /(^|\/)sandbox\.ts$|documents\/|(read|run)-scenario/.test(file))).toEqual([])
  },
)
