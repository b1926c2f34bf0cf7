import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { devFolder } from '../../../../src/cli/development-settings.ts'
import { isOwn, type Sources } from './dev-sources.ts'

/** The compiler, run on the project beside the gateway. */
export interface TypeCheck {
  /** Restarts it; resolves once it ended by itself. */
  start(this: void): Promise<void>
  /** Ends it if it runs; it then reports nothing. */
  cancel(this: void): void
}

const maxErrors = 10

/** The compiler that a file below `root` would import; undefined without one. */
function compilerFor(root: string): string | undefined {
  try {
    return join(dirname(createRequire(root).resolve('typescript/package.json')), 'bin/tsc')
  } catch {
    return undefined
  }
}

/** Makes the type check of these sources. It reports type errors of what is the developer's own, and their end. */
export function createTypeCheck(sources: Sources, say: (text: string) => void): TypeCheck {
  const { root } = sources
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
    const errors = readTypeErrors(output, sources)
    if (errors.length > 0) say(`${formatTypeErrors(errors).join('\n')}\n`)
    // A syntax error elsewhere keeps the compiler from checking types.
    else if (exitCode !== 0) return
    else if (hadErrors) say('The types of the handlers are correct again.\n')
    hadErrors = errors.length > 0
  }

  return {
    start() {
      cancel()
      const compiler = compilerFor(root)
      if (compiler === undefined) {
        if (sources.isCompiled) say('There is no compiler: npm install --save-dev typescript.\n')
        return Promise.resolve()
      }
      // Without tests, and incremental: after the first check, most of the work is the edited file.
      const incremental = ['--incremental', '--tsBuildInfoFile', `${devFolder}/types.tsbuildinfo`]
      const begun = spawn(process.execPath, [compiler, '--pretty', 'false', ...sources.compiler, ...incremental], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: process.platform !== 'win32',
      })
      child = begun
      let output = ''
      begun.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
      return new Promise((resolve) => {
        begun.once('close', (exitCode) => {
          if (child !== begun) return
          tell(output, exitCode)
          resolve()
        })
        // Without a compiler there is no check.
        begun.once('error', () => resolve())
      })
    },
    cancel,
  }
}

/** The compiler's errors in what is the developer's own, without tests. */
export function readTypeErrors(output: string, sources: Pick<Sources, 'isCompiled'>): string[] {
  const pattern = /^([^(\s][^(]*)\((\d+),(\d+)\): error TS\d+: (.*)$/gm
  return [...output.matchAll(pattern)]
    .filter(([, path = '']) => isOwn(path, sources))
    .map(([, path, row, column, message]) => `${path}:${row}:${column}  ${message}`)
}

function formatTypeErrors(errors: readonly string[]): string[] {
  const more = errors.length - maxErrors
  return [...errors.slice(0, maxErrors), ...(more > 0 ? [`${more} more: npx tsc --noEmit`] : [])]
}
