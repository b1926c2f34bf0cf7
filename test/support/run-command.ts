import { createAdminClient } from '../../packages/console/src/commands/admin-client.ts'
import { createProgram } from '../../src/cli/program.ts'

/** Runs one command of `pawl` in this process, against this admin listener; resolves with what it printed, and rejects with what it throws. */
export async function runCommand(adminUrl: string, ...args: string[]): Promise<string> {
  const lines: string[] = []
  const program = await createProgram({
    ask: createAdminClient(() => ({ url: adminUrl, password: undefined })),
    print: (line) => void lines.push(line),
    end(error) {
      throw error
    },
  })
  await program.parseAsync(args, { from: 'user' })
  return lines.join('\n')
}
