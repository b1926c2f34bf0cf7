import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { addUsersCommand } from '../../src/cli/users-command.ts'
import { Environment } from '../../src/settings/environment.ts'
import { verifyPassword } from '../../packages/base/src/password-hash.ts'
import { argumentsFor } from '../support/run-script.ts'

/** Output of `pawl users hash` for a typed password. */
async function hash(password: string, ...args: string[]): Promise<string> {
  const lines: string[] = []
  const program = new Command().exitOverride().configureOutput({ writeErr() {} })
  addUsersCommand(program, { print: (line) => void lines.push(line) }, () => Promise.resolve(password))
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

it('is set in a shell as docs/security.md shows it', async () => {
  const page = await readFile('docs/security.md', 'utf8')
  const line = /^ADMIN_USERS=.*$/m.exec(page)?.[0] ?? ''
  const printed = await hash(password, '--name', 'maria', '--role', 'operator', '--role', 'reveal')
  const shown = line.replace(/\{.*\}/, printed)
  expect(shown).not.toBe(line)
  const { stdout } = await promisify(execFile)('sh', ['-c', `${shown}\nprintf %s "$ADMIN_USERS"`])
  expect(stdout).toBe(`[${printed}]`)
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

it('takes a typed line at its end, without waiting for the end of the input', async () => {
  const args = [...argumentsFor('src/cli/pawl.ts'), 'users', 'hash', '--name', 'maria', '--role', 'viewer']
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH }, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.write(`${password}\n`)
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  child.stdin.destroy()
  expect([code, printed]).toEqual([0, expect.stringContaining('"name":"maria"')])
})
