import { build } from 'esbuild'
import { external, root } from './build-once.ts'

/** Every file that a script loads at its start, itself included; what it imports later, and types, are not. */
export async function loadedBy(script: string): Promise<Set<string>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [script],
    outdir: 'unwritten',
    write: false,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    conditions: ['source'],
    external,
    logLevel: 'error',
    metafile: true,
  })
  const loaded = new Set<string>()
  function follow(file: string): void {
    if (loaded.has(file)) return
    loaded.add(file)
    for (const { path, kind } of metafile.inputs[file]?.imports ?? []) if (kind !== 'dynamic-import') follow(path)
  }
  follow(script)
  return loaded
}
