import { ConfigInvalid, PawlError } from '../../packages/base/src/errors.ts'
import { createAdminClient } from '../../packages/console/src/commands/admin-client.ts'
import { createProgram } from '../../src/cli/program.ts'

/** Runs one command of `pawl` in this process, against this admin listener; resolves with what it printed, and rejects with what it throws. */
export async function runCommand(adminUrl: string, ...args: string[]): Promise<string> {
  const lines: string[] = []
  await run(adminUrl, args, lines)
  return lines.join('\n')
}

/** Runs one command likewise; resolves with the exit code that its process would have, and with all that this would print. */
export async function tryCommand(adminUrl: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const lines: string[] = []
  const end = (code = Number(process.exitCode)) => ({ code, output: lines.map((line) => `${line}\n`).join('') })
  process.exitCode = 0
  try {
    await run(adminUrl, args, lines)
    return end()
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    lines.push(error.message)
    return end(error instanceof ConfigInvalid ? 2 : 1)
  } finally {
    process.exitCode = undefined
  }
}

async function run(adminUrl: string, args: readonly string[], lines: string[]): Promise<void> {
  const program = await createProgram({
    ask: createAdminClient(() => ({ url: adminUrl, password: undefined })),
    print: (line) => void lines.push(line),
    end(error) {
      throw error
    },
  })
  await program.parseAsync(args, { from: 'user' })
}
