import type { Command } from 'commander'
import { inSteps } from '@pawl/ledger/views/in-steps'
import { contract } from '../contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatRow, jsonOption, type Print, printJson } from './output.ts'
import { createProgressLine } from './progress-line.ts'

const help = `
To change the sealing key without a pause:
  1. pawl secrets generate --sealing; put the new key behind the old, SEALING_KEYS=old,new, and restart the processes one by one.
  2. Put it in front, SEALING_KEYS=new,old, and restart them again: new values are sealed with it.
  3. pawl keys rotate: it seals older values again, recomputes the lookups of patients' numbers, and signs the head of the audit trail, while pawl runs.
  4. pawl keys rotate --dry-run: once it counts no value of the old key, remove that key and restart.

To seal a ledger without a key: set SEALING_KEYS and SEALING=turning_on, restart all processes, and run pawl keys rotate. Once it reports that all values are sealed, remove SEALING and restart. Without SEALING=turning_on, an unsealed value is refused and left unchanged.

Stopped half-way, run it again: it continues. Keys are named by the first eight digits of their SHA-256. A backup made before needs the old key: keep it as long as the backup.

Exits with 0; 1 when no pawl answers, it has no sealing key, or some values are refused or open with none of its keys; 2 for wrong options.`

interface Options {
  dryRun?: boolean
  json?: boolean
}

/** Adds `keys rotate`, which seals all values with the newest key. */
export function addRotateKeysCommand(keys: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  keys
    .command('rotate')
    .description('seal all stored values with the newest of SEALING_KEYS, while pawl runs')
    .option('--dry-run', 'only count the values sealed with each key')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ dryRun = false, json = false }: Options) => {
      const { keys: found, resealed, unreadable, acceptsPlain } = await walk(ask, dryRun)
      const plain = acceptsPlain && !dryRun ? 0 : (found.none ?? 0)
      const [refused, unopened] = acceptsPlain ? [0, unreadable] : [plain, unreadable - plain]
      if (unreadable > 0) process.exitCode = 1
      if (json) return printJson(print, { keys: found, resealed, unreadable, dry_run: dryRun, all_sealed: plain === 0 })
      for (const [key, count] of Object.entries(found))
        print(formatRow(key === 'none' ? 'not sealed' : `key ${key}`, formatCount(count, 'value')))
      print(formatRow(dryRun ? 'would seal' : 'sealed', `${formatCount(resealed, 'value')} with the newest key`))
      if (refused > 0)
        print(
          `${formatCount(refused, 'value')} not sealed: refused, and left unchanged. If they were stored before there was a key, set SEALING=turning_on, restart and run this again; otherwise the database was altered: pawl ledger check names each.`,
        )
      if (plain === 0)
        print(
          acceptsPlain
            ? 'All values are sealed: remove SEALING=turning_on and restart. From then on, an unsealed value is refused.'
            : 'All values are sealed; an unsealed one would be refused.',
        )
      if (unopened > 0)
        print(
          `${formatCount(unopened, 'value')} open with none of SEALING_KEYS and are left unchanged: add their key behind the others. Retention removes them in time.`,
        )
    })
}

async function walk(ask: AskAdmin, dryRun: boolean) {
  const line = createProgressLine(process.stderr)
  const sum = { keys: {} as Record<string, number>, resealed: 0, unreadable: 0, acceptsPlain: false }
  let looked = 0
  try {
    const steps = inSteps((cursor?: string) => ask(contract.rotateKeys, { body: { cursor, dry_run: dryRun } }))
    for await (const step of steps) {
      for (const [key, count] of Object.entries(step.keys)) sum.keys[key] = (sum.keys[key] ?? 0) + count
      sum.resealed += step.resealed
      sum.unreadable += step.unreadable
      sum.acceptsPlain = step.accepts_plain
      looked += step.looked
      line.show({ done: Math.min(looked, step.total), total: step.total, what: dryRun ? 'counted' : 'sealed' })
    }
  } finally {
    line.end()
  }
  return sum
}
