import { fileURLToPath } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** Starts a thread's script by its source file; a build runs the compiled file beside it. */
export async function startThread(source: URL, options: WorkerOptions): Promise<Worker> {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(source.href.replace(/\.ts$/, '.js')), options)
  return new Worker(await bundleOnce(source), { ...options, eval: true, execArgv: [] })
}

const bundled = new Map<string, Promise<string>>()

/** Bundles a script and its packages into one CommonJS text, to run from sources. Loading hundreds of files would take four times as long as starting the thread. */
function bundleOnce(source: URL): Promise<string> {
  const script = bundled.get(source.href) ?? bundle(source)
  bundled.set(source.href, script)
  return script
}

async function bundle(source: URL): Promise<string> {
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
  // Named, since errors report the file that threw them.
  return `((require) => {${script}})(require('node:module').createRequire(${JSON.stringify(source.href)}))
//# sourceURL=thread-of-sources.js`
}
