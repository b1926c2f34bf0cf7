import { type Command, InvalidArgumentError, Option } from 'commander'
import type { z } from 'zod'
import { toAuditEvent } from '../contract/audit-event.ts'
import { auditActions, type AuditAction } from '@pawl/ledger/audit/audit-entry'
import type { AuditEntry } from '../contract/audit-contract.ts'
import { contract } from '../contract/contract.ts'
import { reasonLength } from '../contract/reason.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatTable, jsonOption, type Print, printJson } from './output.ts'
import { readNumber } from './read-number.ts'
import { readSince } from './read-since.ts'

const listHelp = `
Prints one line for each entry, the oldest first: number, time, who, what, about which resource and handler, details, reason. Without a login, who is the name that the caller claims.

Exits with 0; 1 when no pawl answers; 2 for wrong options.`

const verifyHelp = `
Prints how many rows there are, since which row they are signed, and the head: number and hash of the last row. Note the head elsewhere, such as in a ticket: with --head, a later run checks that this row is unchanged.

Without a key (SEALING_KEYS) it finds changes made by accident or by hand, not a trail with recomputed hashes.

Exits with 0; 1 when a row was removed or changed, with each such row, or when no pawl answers; 2 for wrong options.`

const exportHelp = `
Prints one JSON object a line, the oldest entry first: as pawl stores it (jsonl), or as a FHIR R4 AuditEvent by the patterns of IHE BALP (fhir).

Exits with 0; 1 when no pawl answers; 2 for wrong options.`

const acknowledgeHelp = `
Run it once you know which rows changed, and who could write to the ledger. It ends the alert, the finding of the verdict and the line in the status, until the next break. The trail records who acknowledged which row, when and why; "audit verify" shows the break for good.

Exits with 0; 1 when no pawl answers, or when no break is open; 2 for wrong options.`

interface Filter {
  since?: Date
  resource?: string
  action?: AuditAction
}

/** Adds `audit list`, `audit verify` and `audit export`, which read the audit trail of a running pawl, and `audit acknowledge`. */
export function addAuditCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const audit = program
    .command('audit')
    .description('read the audit trail: reads and changes, and who made them; acknowledge a break')

  async function* read(filter: Filter, purpose: 'view' | 'export'): AsyncGenerator<AuditEntry> {
    for (let after: number | undefined = 0; after !== undefined;) {
      const query = { ...filter, since: filter.since?.toISOString(), after, limit: 1_000, for: purpose }
      const page: z.infer<typeof contract.audit.answer> = await ask(contract.audit, { query })
      yield* page.entries
      after = page.after
    }
  }

  const since = () =>
    new Option('--since <when>', 'entries since a date-time, or an age: 90m, 6h, 3d').argParser(readSince)

  audit
    .command('list', { isDefault: true })
    .description('list entries, the oldest first')
    .addOption(since())
    .option('--resource <id>', 'about this resource')
    .addOption(new Option('--action <name>', 'of this kind').choices(auditActions))
    .option('--json', 'one JSON object a line')
    .addHelpText('after', listHelp)
    .action(async ({ json, ...filter }: Filter & { json?: boolean }) => {
      const entries: AuditEntry[] = []
      for await (const entry of read(filter, 'view')) {
        if (json) print(JSON.stringify(entry))
        else entries.push(entry)
      }
      if (json) return
      if (entries.length === 0) print('No entries.')
      for (const line of formatTable(entries.map(toCells))) print(line)
    })

  audit
    .command('verify')
    .description('check whether a row of the trail was removed or changed')
    .option('--head <id:hash>', 'a head noted earlier', readHead)
    .option(...jsonOption)
    .addHelpText('after', verifyHelp)
    .action(async ({ head, json = false }: { head?: { id: number; hash: string }; json?: boolean }) => {
      const verdict = await ask(contract.auditVerdict, { query: head ?? {} })
      const { rows, signed, unknownKeys, signedSince, faults } = verdict
      if (faults.length > 0) process.exitCode = 1
      if (json) return printJson(print, verdict)
      for (const { id, says } of faults) print(`row ${id}: ${says}`)
      print(
        faults.length === 0 ? `${formatCount(rows, 'row')}, unbroken.` : `The trail of ${rows} rows was tampered with.`,
      )
      if (signedSince === undefined) print('Not signed: anyone who can write to the ledger could have recomputed it.')
      else
        print(
          `Signed since row ${signedSince.id} (${new Date(signedSince.at).toISOString()}): ${formatCount(signed, 'row')}${unknownKeys === 0 ? '' : `, ${unknownKeys} more with keys that SEALING_KEYS does not list`}.`,
        )
      print(`head ${verdict.head.id}:${verdict.head.hash}`)
    })

  audit
    .command('acknowledge')
    .description('acknowledge a break of the trail, which ends its alert')
    .requiredOption('--row <number>', 'the row of the break: pawl audit list --action audit.break', readNumber(1))
    .requiredOption('--reason <text>', `why, in ${reasonLength}, for the audit trail`)
    .option(...jsonOption)
    .addHelpText('after', acknowledgeHelp)
    .action(async ({ row, reason, json = false }: { row: number; reason: string; json?: boolean }) => {
      await ask(contract.auditAcknowledge, { body: { row, reason } })
      if (json) printJson(print, { row })
      else print(`Acknowledged: the break of row ${row}.`)
    })

  audit
    .command('export')
    .description('write the trail out, for a system that collects such entries')
    .addOption(new Option('--format <name>', 'jsonl or fhir').choices(['jsonl', 'fhir']).default('jsonl'))
    .addOption(since())
    .addHelpText('after', exportHelp)
    .action(async ({ format, ...filter }: Filter & { format: 'jsonl' | 'fhir' }) => {
      for await (const entry of read(filter, 'export'))
        print(JSON.stringify(format === 'fhir' ? toAuditEvent(entry) : entry))
    })
}

function toCells({ id, at, actor, action, resourceId, handler, reason, details }: AuditEntry): string[] {
  const said = Object.entries(details).map(([name, value]) => `${name}=${String(value)}`)
  if (reason !== undefined) said.push(`reason: ${reason}`)
  if (actor.auth !== undefined) said.push(`authenticated by: ${actor.auth}`)
  if (actor.account !== undefined) said.push(`account: ${actor.account.issuer} ${actor.account.subject}`)
  return [String(id), new Date(at).toISOString(), actor.name, action, resourceId ?? '', handler ?? '', said.join(' ')]
}

function readHead(text: string): { id: number; hash: string } {
  const [, id, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (id === undefined || hash === undefined)
    throw new InvalidArgumentError('Give it as audit verify prints it: a number, a colon and 64 hexadecimal digits.')
  return { id: Number(id), hash }
}
