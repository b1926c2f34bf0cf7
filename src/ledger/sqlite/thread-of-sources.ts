import { fileURLToPath } from 'node:url'

let bundled: Promise<string> | undefined

/** The script of the thread for whoever runs the sources: as one CommonJS text, since a loader of TypeScript in each new thread takes four times as long to start as the thread itself. */
export function bundleThread(): Promise<string> {
  return (bundled ??= bundle())
}

async function bundle(): Promise<string> {
  const source = new URL('thread.ts', import.meta.url)
  const { build } = await import('esbuild')
  const options = { bundle: true, packages: 'external', platform: 'node', target: 'node20', format: 'cjs' } as const
  const { outputFiles } = await build({ ...options, entryPoints: [fileURLToPath(source)], write: false })
  const script = outputFiles.map(({ text }) => text).join('\n')
  // Packages are found from where the source is, wherever the process was started.
  return `((require) => {${script}})(require('node:module').createRequire(${JSON.stringify(source.href)}))`
}
