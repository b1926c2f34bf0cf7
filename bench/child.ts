import { fork } from 'node:child_process'
import { once } from 'node:events'
import { monotonicMs } from './monotonic.ts'

/** A server in a process of its own. */
export interface Child {
  port: number
  pid: number
  /** Its own report when it began to listen. */
  announced: { port: number; adminUrl?: string }
  /** Milliseconds from the start of its process until it listened. */
  startedInMs: number
  /** Its answer to a question of `answerParent`. */
  ask(question: string): Promise<unknown>
  /** Kills it; what is open is cut. */
  stop(): Promise<void>
}

/** Starts a compiled server, with these flags for Node; rejects when it exits before it listens. */
export async function startChild(
  script: string,
  env: Record<string, string>,
  flags: readonly string[] = [],
): Promise<Child> {
  const startedAt = monotonicMs()
  const child = fork(script, {
    execArgv: [...flags],
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', SEALING: 'off', ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const ended = exited.then(() => {
    throw new Error(`${script} ended early.`)
  })
  ended.catch(() => {})
  const [announced] = (await Promise.race([once(child, 'message'), ended])) as [Child['announced']] // its first message
  return {
    port: announced.port,
    pid: child.pid ?? 0, // it announced itself
    announced,
    startedInMs: monotonicMs() - startedAt,
    async ask(question: string) {
      child.send(question)
      const answered = new Promise<unknown>((resolve) => {
        child.on('message', function listen(message: { question: string; answer: unknown }) {
          if (message.question !== question) return
          child.off('message', listen)
          resolve(message.answer)
        })
      })
      return Promise.race([answered, ended])
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await exited
    },
  }
}
