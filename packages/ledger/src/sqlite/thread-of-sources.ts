import { fileURLToPath } from 'node:url'

let bundled: Promise<string> | undefined

/** The thread's script when running from sources: bundled with its packages as one CommonJS text, since loading hundreds of files takes four times as long as starting the thread. */
export function bundleThread(): Promise<string> {
  return (bundled ??= bundle())
}

async function bundle(): Promise<string> {
  const source = new URL('thread.ts', import.meta.url)
  const { build } = await import('esbuild')
  // Native code cannot be bundled, nor can packages that look for optional ones.
  const external = ['pg']
  // The script's modules load native code from the source's location as well.
  const define = { 'import.meta.url': JSON.stringify(source.href) }
  const conditions = ['source']
  const options = {
    bundle: true,
    external,
    define,
    conditions,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
  } as const
  const { outputFiles } = await build({ ...options, entryPoints: [fileURLToPath(source)], write: false })
  const script = outputFiles.map(({ text }) => text).join('\n')
  // Resolves packages from the source's location, regardless of the working directory.
  // Named, since errors tell the file where they were thrown.
  return `((require) => {${script}})(require('node:module').createRequire(${JSON.stringify(source.href)}))
//# sourceURL=thread-of-sources.js`
}
