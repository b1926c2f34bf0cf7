import type { Command } from 'commander'
import { expect, it, vi } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'

/** A command and those below it, each as it is called. */
function withSubcommands(command: Command, path = command.name()): [string, Command][] {
  return [[path, command], ...command.commands.flatMap((each) => withSubcommands(each, `${path} ${each.name()}`))]
}

it('the help of every command has no line of more than 80 characters, and lists the commands in groups', async () => {
  const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const help = new Map<string, string>()
  try {
    const asked = () => Promise.reject(new Error('not asked'))
    const program = await createProgram({ ask: asked, print() {}, end: () => process.exit() })
    for (const [path, command] of withSubcommands(program)) {
      print.mockClear()
      command.outputHelp()
      help.set(path, print.mock.calls.map(([text]) => String(text)).join(''))
    }
  } finally {
    print.mockRestore()
  }
  expect(help.size).toBeGreaterThan(50)
  const tooLong = [...help].flatMap(([path, text]) =>
    text.split('\n').flatMap((line) => (line.length > 80 ? [`${path}: ${line}`] : [])),
  )
  expect(tooLong).toEqual([])
  expect(help.get('pawl')).toMatch(
    /See how it stands:\n {2}status [\s\S]*\n\nSteer work:\n {2}due [\s\S]*\n\nDevelop:\n/,
  )
  expect(help.get('pawl')).not.toContain('\nCommands:')
})
