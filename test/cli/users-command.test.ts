import { Command } from 'commander'
import { expect, it } from 'vitest'
import { addUsersCommand } from '../../src/cli/users-command.ts'
import { Environment } from '../../src/config.ts'
import { verifyPassword } from '../../src/password-hash.ts'

/** What `pawl users hash` prints for a password that is typed. */
async function hash(password: string, ...args: string[]): Promise<string> {
  const lines: string[] = []
  const program = new Command().exitOverride().configureOutput({ writeErr() {} })
  addUsersCommand(
    program,
    (line) => void lines.push(line),
    () => Promise.resolve(password),
  )
  await program.parseAsync(['users', 'hash', ...args], { from: 'user' })
  return lines.join('\n')
}

const password = 'a-password-of-their-own'

it('prints an entry on one line that ADMIN_USERS takes, without the password', async () => {
  const printed = await hash(password, '--name', 'maria', '--role', 'operator', '--role', 'reveal')
  expect(printed).not.toContain('\n')
  expect(printed).not.toContain(password)
  const [entry] = Environment.shape.ADMIN_USERS.parse(`[${printed}]`) ?? []
  expect(entry).toMatchObject({ name: 'maria', roles: ['operator', 'reveal'] })
  expect(await verifyPassword(password, entry?.password ?? '')).toBe(true)
  expect(await verifyPassword('another-password', entry?.password ?? '')).toBe(false)
})

it.each([
  ['a short password', 'too-short', ['--name', 'maria', '--role', 'viewer']],
  ['a name of two words', password, ['--name', 'maria m', '--role', 'viewer']],
  ['a name with a colon', password, ['--name', 'maria:m', '--role', 'viewer']],
  ['a role that there is not', password, ['--name', 'maria', '--role', 'king']],
  ['no role', password, ['--name', 'maria']],
])('refuses %s', async (_, typed, args) => {
  await expect(hash(typed, ...args)).rejects.toThrow()
})
