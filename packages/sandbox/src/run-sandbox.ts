import type { CommandLine } from './command-line.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { showHidden } from '@pawl/base/show-hidden'
import { secretWarnings } from './webhooks/settings.ts'
import { welcome } from './welcome.ts'

/** Runs the sandbox in this process, which exits 0 after a signal and 1 if it cannot start. `command`: the shell command that started it. */
export async function runSandbox(commandLine: CommandLine, command: string): Promise<void> {
  try {
    await start(commandLine, command)
  } catch (error) {
    process.stderr.write(`${showHidden(messageOf(error))}\n`)
    process.exitCode = 1
  }
}

async function start({ port, host, json, options, webhook }: CommandLine, command: string): Promise<void> {
  const print = (line: string) => void process.stdout.write(`${showHidden(line)}\n`)
  const printJson = (fields: object) => print(JSON.stringify({ time: new Date().toISOString(), ...fields }))
  // The reader of the output has exited; the sandbox continues.
  process.stdout.on('error', () => {})
  const sandbox = open({ ...options, ...(json && { observe: printJson }) })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void sandbox.close())
  if (webhook !== undefined) {
    sandbox.controls.putWebhook(webhook)
    for (const warning of secretWarnings(webhook.secret)) process.stderr.write(`Warning: ${warning}\n`)
  }
  const { url } = await listen(sandbox, port, host)
  const token = await sandbox.issueToken()
  const { seed } = sandbox
  const { speed = 1, data } = options
  const organizations = sandbox.controls.listOrganizations().map(({ id, webhooks }) => ({
    id,
    webhooks: webhooks.map(({ url: to }) => to),
  }))
  const about = { url, token, seed, speed, data, organizations }
  if (json) printJson({ kind: 'listening', ...about })
  else print(welcome({ ...about, command }))
}

function open(options: CommandLine['options']): Sandbox {
  try {
    return createSandbox(options)
  } catch (error) {
    if (options.data === undefined) throw error
    const reason = hasCode(error, 'SQLITE_BUSY')
      ? 'another sandbox has it open; stop that one, or'
      : `${messageOf(error)};`
    throw new Error(`The data file ${options.data} cannot be used: ${reason} choose another --data.`, { cause: error })
  }
}

async function listen(sandbox: Sandbox, port: number, host: string) {
  try {
    return await sandbox.listen(port, host)
  } catch (error) {
    await sandbox.close()
    const reason = hasCode(error, 'EADDRINUSE')
      ? 'another program listens there; stop it, or choose another --port, or 0 for a free one'
      : `${messageOf(error)}; choose another --host or --port`
    throw new Error(`Cannot listen on port ${port} of ${host}: ${reason}.`, { cause: error })
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown'
}
