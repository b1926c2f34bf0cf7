import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { devFolder } from '../../../../src/cli/development-settings.ts'

/** The compiler, run on the project beside the gateway. */
export interface TypeCheck {
  /** Starts it anew. */
  start(this: void): void
  /** Ends it, if it runs; it then tells nothing. */
  cancel(this: void): void
}

const maxErrors = 10

/** Makes the check of the project in `root`. It tells the type errors of the integration and the templates, and their end. */
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
      // tsc starts another program, which is of the same group.
      process.kill(-ending.pid, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }

  function tell(output: string, exitCode: number | null): void {
    const errors = readTypeErrors(output)
    if (errors.length > 0) say(`${formatTypeErrors(errors).join('\n')}\n`)
    // A syntax error elsewhere keeps the compiler from looking at types.
    else if (exitCode !== 0) return
    else if (hadErrors) say('The types of the handlers are right again.\n')
    hadErrors = errors.length > 0
  }

  return {
    start() {
      cancel()
      const compiler = join(root, 'node_modules/typescript/bin/tsc')
      // Without the tests, and from what the last check kept: most of a check after the first is the edited file.
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
      // Without the compiler there is no check.
      begun.once('error', () => {})
    },
    cancel,
  }
}

/** Errors of the integration and the templates in the compiler's output, without those of tests. */
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
