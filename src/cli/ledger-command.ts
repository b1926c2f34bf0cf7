import { stat } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { systemClock } from '@pawl/base/clock'
import { Environment } from '../settings/environment.ts'
import { readDatabaseUrl, readSealing } from '../settings/read-for-commands.ts'
import type { AskAdmin } from '@pawl/console/commands/admin-client'
import { readActorName } from './actor-name.ts'
import { formatCount, formatRow, jsonOption, type Print, printJson } from '@pawl/console/commands/output'
import { createProgressLine } from '@pawl/console/commands/progress-line'
import { addPurgeLedgerCommand } from '@pawl/console/commands/purge-ledger-command'

const copyHelp = `
Prints progress and, at the end, the rows of every table. If the audit trail is signed, set SEALING_KEYS as pawl has it: the trail records the copy. It refuses a target that already holds a ledger, and a ledger that a pawl has open.

Exits with 0 when all rows are there; 1 when they are not: the same command continues; 2 for wrong options.`

const checkHelp = `
Reads all of it and writes nothing, while pawl runs or not. It checks that the file is intact (SQLite), every sealed value opens with one of SEALING_KEYS in its row, no work is stranded, and the audit trail is unbroken.

Exits with 0 when all is well; 1 on faults, or when the ledger cannot be read; 2 for wrong options.`

const backupHelp = `
SQLite is copied to a database file; PostgreSQL is dumped with its own pg_dump, for pg_restore. Both are snapshots of one moment, readable by the owner alone (mode 0600). The file gets its name once it is complete. Sealed values stay sealed: keep SEALING_KEYS elsewhere. docs/deploying.md describes the restore.

Exits with 0 when the backup is complete; 1 when it is not; 2 for wrong options.`

/** Adds `ledger check`, `ledger backup`, `ledger purge`, and `ledger copy`, which moves a ledger from one database to another while pawl is stopped. */
export function addLedgerCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const ledger = program.command('ledger').description('copy, check, back up and purge the ledger')
  const database = () =>
    new Option('--database <address>', 'the ledger: file:<path> or postgres://… (default: DATABASE_URL)').argParser(
      readAddress,
    )
  const databaseOf = (given: string | undefined) => given ?? readDatabaseUrl(process.env)
  ledger
    .command('check')
    .description('read the whole ledger and report its faults')
    .addOption(database())
    .option(...jsonOption)
    .addHelpText('after', checkHelp)
    .action(async ({ database: address, json = false }: { database?: string; json?: boolean }) => {
      const { checkLedger } = await import('@pawl/ledger/upkeep/check-ledger')
      const line = createProgressLine(process.stderr)
      const report = await checkLedger(databaseOf(address), {
        ...readSealing(process.env),
        onProgress: (progress) => line.show({ ...progress, what: 'resources checked' }),
      }).finally(line.end)
      if (report.faultCount > 0) process.exitCode = 1
      if (json) return printJson(print, report)
      for (const { where, says } of report.faults) print(`${where}: ${says}`)
      if (report.faultCount > report.faults.length) print(`… and ${report.faultCount - report.faults.length} more.`)
      const values = Object.values(report.keys).reduce((sum, count) => sum + count, 0)
      print(formatRow('resources', report.resources))
      print(formatRow('values', values))
      for (const [key, count] of Object.entries(report.keys))
        print(formatRow('', `${count} ${key === 'none' ? 'not sealed' : `sealed with key ${key}`}`))
      print(formatRow('audit', formatCount(report.auditRows, 'row')))
      print(report.faultCount === 0 ? 'All is well.' : `${formatCount(report.faultCount, 'fault')}: see above.`)
    })
  ledger
    .command('backup')
    .description('write a copy of the ledger to a file, while pawl runs')
    .requiredOption('--to <file>', 'the file to write; it must not exist')
    .addOption(database())
    .addHelpText('after', backupHelp)
    .action(async ({ to, database: address }: { to: string; database?: string }) => {
      const { backUpLedger } = await import('@pawl/ledger/upkeep/back-up-ledger')
      const line = createProgressLine(process.stderr)
      await backUpLedger(databaseOf(address), {
        to,
        env: process.env,
        onProgress: (progress) => line.show({ ...progress, what: 'copied' }),
      }).finally(line.end)
      const { size } = await stat(to)
      print(`${to} is there, ${Math.ceil(size / 1_024)} KiB. Keep SEALING_KEYS elsewhere.`)
    })
  addPurgeLedgerCommand(ledger, { ask, print })
  ledger
    .command('copy')
    .description('copy a ledger into another, empty database; run again, it continues')
    .requiredOption('--from <address>', 'the source: file:<path> or postgres://…', readAddress)
    .requiredOption('--to <address>', 'the target: file:<path> or postgres://…', readAddress)
    .addHelpText('after', copyHelp)
    .action(async ({ from, to }: { from: string; to: string }) => {
      const { copyLedger } = await import('@pawl/ledger/upkeep/copy/copy-ledger')
      const stopping = new AbortController()
      const stop = () => stopping.abort()
      process.once('SIGINT', stop).once('SIGTERM', stop)
      const line = createProgressLine(process.stdout)
      try {
        const counts = await copyLedger({
          from,
          to,
          sealingKeys: readSealing(process.env).sealingKeys,
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
  if (!isAddress) throw new InvalidArgumentError('Give file:<path> or postgres://user:password@host:port/database.')
  return text
}
