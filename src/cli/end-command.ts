import type { CommanderError } from 'commander'

/** For commander's `exitOverride`: ends the process, 0 after the help that was asked for, 2 for wrong arguments. What there is to say is printed by then. */
export function endCommand({ exitCode }: CommanderError): never {
  process.exit(exitCode === 0 ? 0 : 2)
}
