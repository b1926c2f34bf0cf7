import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { buildVariable } from '../../../test/support/run-script.ts'
import { createPawlHost } from '../src/pawl-host.ts'

it('an error of a compiled integration names the line of its source', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'integration-'))
  const [source, outfile] = [join(folder, 'tell-desk.ts'), join(folder, 'tell-desk.js')]
  await writeFile(source, '// The compiler\n// drops\n// these.\nthrow new Error("There is no desk.")\n')
  await build({ entryPoints: [source], outfile, format: 'esm', sourcemap: true })
  const bundle = join(process.env[buildVariable] ?? '', 'dist/packages/conformance/src/pawl-process.js')
  const host = createPawlHost({ integrationUrl: pathToFileURL(outfile).href, environment: process.env, bundle })
  try {
    await expect(host.handlers()).rejects.toThrow(/tell-desk\.ts:4/)
  } finally {
    await host.close()
    await rm(folder, { recursive: true })
  }
})
