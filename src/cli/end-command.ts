import type { CommanderError } from 'commander'

/** Callback of commander's `exitOverride`: exits with 0 after requested help, 2 for wrong arguments. All messages are printed by then. */
export function endCommand({ exitCode }: CommanderError): never {
  process.exit(exitCode === 0 ? 0 : 2)
}
