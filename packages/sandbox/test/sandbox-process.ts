import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { argumentsFor } from '../../../test/support/run-script.ts'

/** The real process, which is ended after the test. */
export interface SandboxProcess {
  url: string
  token: string
  /** All that was printed at the start. */
  output: string
  /** All that was printed so far. */
  printed(): string
  /** Output on stderr so far. */
  faults(): string
  /** Ends it; its exit code, or the signal that it died of. */
  end(signal?: NodeJS.Signals): Promise<number | string>
}

const command = argumentsFor('packages/sandbox/src/main.ts')

function run(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  // As a person starts it: where NODE_ENV is test, Express prints no error.
  const child = spawn(process.execPath, [...command, ...args], { env: { ...process.env, NODE_ENV: '', ...env } })
  onTestFinished(async () => void (await end(child, 'SIGKILL')))
  return child
}

/** Starts `npm run sandbox` on a free port and waits for its welcome. */
export async function startProcess(...args: string[]): Promise<SandboxProcess> {
  const child = run(['--port', '0', ...args])
  let output = ''
  let faults = ''
  child.stderr?.on('data', (chunk: Buffer) => (faults += chunk.toString()))
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('/prior-authorization ')) resolve()
    })
    child.once('exit', () => reject(new Error(`the sandbox ended: ${faults}`)))
  })
  const url = /listens on (\S+)/.exec(output)?.[1] ?? ''
  const token = /organization:\n(\S+)/.exec(output)?.[1] ?? ''
  return {
    url,
    token,
    output,
    printed: () => output,
    faults: () => faults,
    end: (signal = 'SIGTERM') => end(child, signal),
  }
}

/** Runs it to its own end. */
export async function runProcess(args: string[], env: Record<string, string> = {}) {
  const child = run(args, env)
  let output = ''
  let faults = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (faults += chunk.toString()))
  const [exitCode] = await once(child, 'close')
  return { exitCode, output, faults }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | string> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  return child.exitCode ?? child.signalCode ?? 'unknown'
}

/** Calls a sandbox with a token, and reads the answer's JSON. */
export async function callJson(at: { url: string; token: string }, method: string, path: string, body?: object) {
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
