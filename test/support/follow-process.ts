import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { until } from './until.ts'

/** A process of its own that a test follows. */
export interface FollowedProcess {
  child: ChildProcess
  /** All that it printed. */
  output(): string
  /** Resolves with the exit code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals | null>
  /** Sends it a signal, unless it has ended; resolves as `exited` does. */
  end(signal: NodeJS.Signals): FollowedProcess['exited']
  /** Resolves once it printed this; fails when it ends first. `after` is how much of the output is old. */
  prints(what: string | RegExp, after?: number): Promise<void>
}

/** Follows what a process prints and how it ends, which `event` tells. */
export function followProcess(child: ChildProcess, event: 'exit' | 'close', withinMs: number): FollowedProcess {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  const exited = once(child, event).then(([code, signal]: (number | NodeJS.Signals | null)[]) => code ?? signal ?? null)
  let isOver = false
  void exited.then(() => (isOver = true))
  return {
    child,
    output: () => output,
    exited,
    end(signal) {
      child.kill(signal)
      return exited
    },
    async prints(what, after = 0) {
      const isThere = () => {
        const text = output.slice(after)
        if (typeof what === 'string' ? text.includes(what) : what.test(text)) return true
        if (isOver) throw new Error('it ended early')
        return false
      }
      await until(`it prints ${what}`, isThere, withinMs).catch((error: unknown) => {
        throw new Error(`${String(error)}; so far it printed:\n${output}`, { cause: error })
      })
    },
  }
}
