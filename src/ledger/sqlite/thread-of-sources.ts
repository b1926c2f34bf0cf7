import { fileURLToPath } from 'node:url'

let bundled: Promise<string> | undefined

/** The thread's script when running from sources: bundled as one CommonJS text, since a TypeScript loader takes four times as long to start as the thread itself. */
export function bundleThread(): Promise<string> {
  return (bundled ??= bundle())
}

async function bundle(): Promise<string> {
  const source = new URL('thread.ts', import.meta.url)
  const { build } = await import('esbuild')
  const options = { bundle: true, packages: 'external', platform: 'node', target: 'node20', format: 'cjs' } as const
  const { outputFiles } = await build({ ...options, entryPoints: [fileURLToPath(source)], write: false })
  const script = outputFiles.map(({ text }) => text).join('\n')
  // Resolves packages from the source's location, regardless of the working directory.
  return `((require) => {${script}})(require('node:module').createRequire(${JSON.stringify(source.href)}))`
}
