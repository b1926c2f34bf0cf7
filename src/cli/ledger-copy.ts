import { type Command, InvalidArgumentError } from 'commander'
import { systemClock } from '../clock.ts'
import { Environment } from '../config.ts'
import { copyLedger } from '../ledger/copy/copy-ledger.ts'
import { createProgressLine } from './progress-line.ts'

/** Adds `ledger copy`, which moves a ledger from one database to another while no pawl is running. */
export function addLedgerCommand(program: Command, print: (line: string) => void): void {
  const ledger = program.command('ledger').description('looks after the ledger itself, while no pawl is running')
  ledger
    .command('copy')
    .description('copy a ledger into another, empty database; stopped, it goes on where it was')
    .requiredOption('--from <address>', 'the ledger as it is: file:<path> or postgres://…', readAddress)
    .requiredOption('--to <address>', 'where it shall be: file:<path> or postgres://…', readAddress)
    .action(async ({ from, to }: { from: string; to: string }) => {
      const stopping = new AbortController()
      const stop = () => stopping.abort()
      process.once('SIGINT', stop).once('SIGTERM', stop)
      const line = createProgressLine(process.stdout)
      try {
        const counts = await copyLedger({
          from,
          to,
          clock: systemClock,
          signal: stopping.signal,
          onProgress: ({ table, copied, total }) => line.show({ done: copied, total, what: table }),
        })
        line.end()
        for (const [table, count] of counts) print(`${table.padEnd(10)} ${count}`)
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
