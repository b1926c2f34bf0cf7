import type { Command } from 'commander'
import type { Finding } from './doctor/finding.ts'
import { type Print, printJson } from './output.ts'
import { readVersion } from '../base/read-version.ts'

const help = `
Prints a line for each finding: the part, "ok", "warn" or "FAIL", what was found, and what to do about it; the last line counts them. It looks at
  node       the version that runs this
  settings   what is wrong or hardly meant
  secrets    which can be guessed, or stand in two places
  service    whether GET /status takes API_TOKEN
  clock      how far the service's is from the one here
  ledger     whether it can be kept, and read with SEALING_KEYS
  handlers   which never had anything to do, and work without one
  queue      whether its server will do
  ports      whether pawl can listen, or does
  and each system of the integration by its name, as "pawl check" does.

It reads the settings that pawl itself reads, and may run beside it: it changes nothing. No line holds a secret.

Exits with 0 when nothing fails, whatever it warns of; 1 when something fails; 2 when the settings are wrong.`

/** Adds `doctor`, which looks at the whole set-up and says what to do. */
export function addDoctorCommand(program: Command, print: Print): void {
  program
    .command('doctor')
    .description('look at settings, service, ledger, queue, systems and ports, and say what to do')
    .option('--json', 'print one JSON object: findings, and how many there are of each level')
    .option(
      '--evidence',
      'print for an auditor what is configured for each technical safeguard of 45 CFR 164.312, as Markdown, or as JSON with --json',
    )
    .addHelpText('after', help)
    .action(async ({ json = false, evidence = false }: { json?: boolean; evidence?: boolean }) => {
      // Loaded here alone: no other command needs all of pawl.
      const { default: integration } = await import('../integration/index.ts')
      const { diagnose } = await import('./doctor/diagnose.ts')
      const { findings, hasWrongSettings, config, systems } = await diagnose(process.env, integration)
      const counts = countLevels(findings)
      if (evidence) {
        const { formatEvidence, gatherEvidence } = await import('./doctor/evidence.ts')
        const gathered = gatherEvidence({
          version: readVersion(),
          node: process.versions.node,
          nowMs: Date.now(),
          config,
          systems,
          logFields: integration.logFields ?? [],
          findings,
        })
        if (json) printJson(print, gathered)
        else print(formatEvidence(gathered))
      } else if (json) printJson(print, { findings, counts })
      else for (const line of formatFindings(findings)) print(line)
      const exitCode = hasWrongSettings ? 2 : counts.fail > 0 ? 1 : 0
      // What a check that did not return left open must not keep the process alive; what was printed goes out first.
      process.stdout.write('', () => process.exit(exitCode))
    })
}

/** One line a finding, in columns, and a last one that counts them. */
export function formatFindings(findings: readonly Finding[]): string[] {
  const width = Math.max(10, ...findings.map(({ area }) => area.length))
  const lines = findings.map(({ area, level, says, todo }) => {
    const word = (level === 'fail' ? 'FAIL' : level).padEnd(4)
    return `${area.padEnd(width)} ${word} ${says}${todo === null ? '' : ` ${todo}`}`
  })
  const { ok, warn, fail } = countLevels(findings)
  return [...lines, '', `${fail} FAIL, ${warn} warn, ${ok} ok.`]
}

function countLevels(findings: readonly Finding[]): Record<Finding['level'], number> {
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length
  return { ok: count('ok'), warn: count('warn'), fail: count('fail') }
}
