import { type Command, InvalidArgumentError } from 'commander'
import { PawlError } from '@pawl/base/errors'
import { hashPassword } from '@pawl/base/password-hash'
import { isRole, type Role, roleNames } from '@pawl/base/roles'
import type { Print } from '@pawl/console/commands/output'
import { readStdinLine } from '@pawl/console/commands/show-command'

const minLength = 12

const help = `
Reads the password from the first line of standard input, so that no shell history or process list shows it, and prints one entry for ADMIN_USERS, a JSON array of such entries. It holds a hash (scrypt) instead of the password: still, keep it like a secret.

Roles: ${roleNames.join(', ')}; docs/security.md says what each may do.

  read -rs PASSWORD; printf %s "$PASSWORD" | pawl users hash --name maria --role operator --role reveal

Exits with 0; 1 when the password has fewer than ${minLength} characters; 2 for wrong options.`

class PasswordRefused extends PawlError {
  readonly code = 'password_refused'
}

/** Adds `users hash`, which makes an entry of ADMIN_USERS. */
export function addUsersCommand(program: Command, { print }: { print: Print }, readLine = readStdinLine): void {
  program
    .command('users')
    .description('make entries for users of the admin listener')
    .command('hash')
    .description('print the entry of one person for ADMIN_USERS')
    .requiredOption('--name <name>', 'their name, one word', readName)
    .requiredOption('--role <role>', 'a role; may be repeated', addRole)
    .addHelpText('after', help)
    .action(async ({ name, role: roles }: { name: string; role: Role[] }) => {
      const password = await readLine()
      if (password.length < minLength)
        throw new PasswordRefused(
          `The first line of standard input must be a password of at least ${minLength} characters.`,
        )
      print(JSON.stringify({ name, roles, password: await hashPassword(password) }))
    })
}

function readName(text: string): string {
  if (!/^[\x21-\x39\x3b-\x7e]{1,120}$/.test(text))
    throw new InvalidArgumentError('Give one word of plain characters, without a colon.')
  return text
}

function addRole(text: string, before: readonly Role[] = []): Role[] {
  if (!isRole(text)) throw new InvalidArgumentError(`It is one of ${roleNames.join(', ')}.`)
  return [...new Set([...before, text])]
}
