import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { devFolder } from '../../../../src/cli/development-settings.ts'

/** The compiler, run on the project beside the gateway. */
export interface TypeCheck {
  /** Restarts it. */
  start(this: void): void
  /** Ends it if it runs; it then reports nothing. */
  cancel(this: void): void
}

const maxErrors = 10

/** Makes the type check of the project in `root`. It reports type errors of the integration and the templates, and their end. */
export function createTypeCheck({ root, say }: { root: string; say: (text: string) => void }): TypeCheck {
  let child: ChildProcess | undefined
  let hadErrors = false
  process.once('exit', cancel)

  function cancel(): void {
    const ending = child
    child = undefined
    if (ending?.pid === undefined || ending.exitCode !== null || ending.signalCode !== null) return
    if (process.platform === 'win32') return void ending.kill()
    try {
      // tsc starts a child program, which shares its process group.
      process.kill(-ending.pid, 'SIGKILL')
    } catch {
      // It exited by itself.
    }
  }

  function tell(output: string, exitCode: number | null): void {
    const errors = readTypeErrors(output)
    if (errors.length > 0) say(`${formatTypeErrors(errors).join('\n')}\n`)
    // A syntax error elsewhere keeps the compiler from checking types.
    else if (exitCode !== 0) return
    else if (hadErrors) say('The types of the handlers are correct again.\n')
    hadErrors = errors.length > 0
  }

  return {
    start() {
      cancel()
      const compiler = join(root, 'node_modules/typescript/bin/tsc')
      // Without tests, and incremental: after the first check, most of the work is the edited file.
      const project = [
        '--project',
        'tsconfig.build.json',
        '--incremental',
        '--tsBuildInfoFile',
        `${devFolder}/types.tsbuildinfo`,
      ]
      const begun = spawn(process.execPath, [compiler, '--noEmit', '--pretty', 'false', ...project], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: process.platform !== 'win32',
      })
      child = begun
      let output = ''
      begun.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
      begun.once('close', (exitCode) => {
        if (child === begun) tell(output, exitCode)
      })
      // Without a compiler there is no check.
      begun.once('error', () => {})
    },
    cancel,
  }
}

/** The compiler's errors in the integration and the templates, without tests. */
export function readTypeErrors(output: string): string[] {
  const pattern = /^((?:src\/integration|templates)\/[^(]+)\((\d+),(\d+)\): error TS\d+: (.*)$/gm
  return [...output.matchAll(pattern)]
    .filter(([, path = '']) => !path.endsWith('.test.ts'))
    .map(([, path, row, column, message]) => `${path}:${row}:${column}  ${message}`)
}

function formatTypeErrors(errors: readonly string[]): string[] {
  const more = errors.length - maxErrors
  return [...errors.slice(0, maxErrors), ...(more > 0 ? [`${more} more: npx tsc --noEmit`] : [])]
}
