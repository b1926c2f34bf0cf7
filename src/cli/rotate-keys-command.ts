import type { Command } from 'commander'
import { inSteps } from '../ledger/views/in-steps.ts'
import { contract } from '../console/contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatRow, jsonOption, type Print, printJson } from './output.ts'
import { createProgressLine } from './progress-line.ts'

const help = `
To change the sealing key without a pause:
  1. pawl secrets generate --sealing; put the new key behind the old, SEALING_KEYS=old,new, and restart all processes one after the other.
  2. Put it in front, SEALING_KEYS=new,old, and restart them again: what is stored from now on is sealed with it.
  3. pawl keys rotate: it seals what was stored before, makes the lookups of patients' numbers anew, and signs the head of the audit trail. pawl goes on working.
  4. pawl keys rotate --dry-run: once it counts nothing of the old key, take that out and restart.

To seal a ledger that has no key yet: set SEALING_KEYS and SEALING=turning_on, restart all processes, and run pawl keys rotate. Once it says that all values are sealed, take SEALING out and restart. Without SEALING=turning_on, a value that is not sealed is refused, and stays as it is.

Stopped half-way, run it again: what is done is passed over. Keys are named by the first eight digits of their SHA-256. A backup made before needs the old key: keep it as long as the backup.

Exits with 0; 1 when no pawl answers, it has no sealing key, or some values are refused or open with none of its keys; 2 for wrong options.`

interface Options {
  dryRun?: boolean
  json?: boolean
}

/** Adds `keys rotate`, which seals with the newest key what another sealed. */
export function addRotateKeysCommand(keys: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  keys
    .command('rotate')
    .description('seal all that is stored with the newest of SEALING_KEYS, while pawl works')
    .option('--dry-run', 'only count what is sealed with which key')
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
          `${formatCount(refused, 'value')} not sealed: refused, and left as they are. If they were stored before there was a key, set SEALING=turning_on, restart and run this again; otherwise somebody altered the database: pawl ledger check names each.`,
        )
      if (plain === 0)
        print(
          acceptsPlain
            ? 'All values are sealed: take SEALING=turning_on out and restart. From then on, a value that is not sealed is refused.'
            : 'All values are sealed; one that is not would be refused.',
        )
      if (unopened > 0)
        print(
          `${formatCount(unopened, 'value')} open with none of SEALING_KEYS, and stay as they are: add the key that they were sealed with behind the others. Retention removes them in time.`,
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
