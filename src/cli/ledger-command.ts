import { type Command, InvalidArgumentError } from 'commander'
import { systemClock } from '../clock.ts'
import { Environment, readSealingKeys } from '../config.ts'
import { readActorName } from './actor-name.ts'
import { copyLedger } from '../ledger/copy/copy-ledger.ts'
import { formatRow, type Print } from './output.ts'
import { createProgressLine } from './progress-line.ts'

const copyHelp = `
Prints how far it is and, at the end, the rows of every table. Where the audit trail is signed, SEALING_KEYS has to be set as pawl has it: the copy is noted there. It refuses a target that already holds a ledger, and a ledger that a pawl has open.

Exits with 0 when all rows are there; 1 when they are not: the same command goes on where it was; 2 for wrong options.`

/** Adds `ledger copy`, which moves a ledger from one database to another while no pawl is running. */
export function addLedgerCommand(program: Command, print: Print): void {
  const ledger = program.command('ledger').description('look after the ledger itself, while no pawl is running')
  ledger
    .command('copy')
    .description('copy a ledger into another, empty database; stopped, it goes on where it was')
    .requiredOption('--from <address>', 'the ledger as it is: file:<path> or postgres://…', readAddress)
    .requiredOption('--to <address>', 'where it is to be: file:<path> or postgres://…', readAddress)
    .addHelpText('after', copyHelp)
    .action(async ({ from, to }: { from: string; to: string }) => {
      const stopping = new AbortController()
      const stop = () => stopping.abort()
      process.once('SIGINT', stop).once('SIGTERM', stop)
      const line = createProgressLine(process.stdout)
      try {
        const counts = await copyLedger({
          from,
          to,
          sealingKeys: readSealingKeys(process.env),
          actor: { name: readActorName(), via: 'command' },
          clock: systemClock,
          signal: stopping.signal,
          onProgress: ({ table, copied, total }) => line.show({ done: copied, total, what: table }),
        })
        line.end()
        for (const [table, count] of counts) print(formatRow(table, count))
        print(
          'All rows are there. Set DATABASE_URL to the new address, start pawl, and keep the old ledger as a backup.',
        )
      } finally {
        line.end()
        process.off('SIGINT', stop).off('SIGTERM', stop)
      }
    })
}

function readAddress(text: string): string {
  const isAddress = Environment.shape.DATABASE_URL.safeParse(text).success && URL.canParse(text)
  if (!isAddress) throw new InvalidArgumentError('It is file:<path> or postgres://user:password@host:port/database.')
  return text
}
