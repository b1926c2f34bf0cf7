import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The checkout's root. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Runs the command `pawl conformance`; resolves with its exit code and everything that it prints. */
export function conformance(...args: string[]): Promise<{ code: unknown; output: string }> {
  const all = ['--conditions=source', '--import', 'tsx', 'src/cli/pawl.ts', 'conformance', ...args]
  return new Promise((resolve) => {
    execFile(process.execPath, all, { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}
