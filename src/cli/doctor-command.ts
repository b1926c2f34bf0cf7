import type { Command } from 'commander'
import type { Finding } from './doctor/finding.ts'
import { loadIntegration } from '../work/load-integration.ts'
import { type Print, printJson, printText } from '@pawl/console/commands/output'
import { ownPackage } from '@pawl/base/own-package'

const help = `
Prints a line for each finding: the part, "ok", "warn" or "FAIL", the finding, and the remedy; the last line counts them. It checks
  node        the version that runs pawl
  integration the file that was loaded
  settings    wrong and unlikely values
  secrets     which can be guessed, or are used twice
  service     whether GET /status accepts API_TOKEN
  clock       its difference to the service's
  ledger      whether it can be written, and read with SEALING_KEYS
  handlers    which never ran, and work without a handler
  queue       whether its server is suitable
  ports       whether pawl listens, or can
  and each system of the integration by name, as "pawl check" does.

It reads pawl's own settings and may run beside it: it changes nothing. No line holds a secret.

Exits with 0 when nothing fails, also with warnings; 1 when something fails; 2 when the settings are wrong.`

/** Adds `doctor`, which checks the whole set-up. */
export function addDoctorCommand(program: Command, { print }: { print: Print }): void {
  program
    .command('doctor')
    .description('check settings, service, ledger, queue, systems and ports, with remedies')
    .option('--json', 'print one JSON object: the findings, and their number at each level')
    .option(
      '--evidence',
      'print the configuration of each technical safeguard of 45 CFR 164.312 for an auditor, as Markdown, or as JSON with --json',
    )
    .addHelpText('after', help)
    .action(async ({ json = false, evidence = false }: { json?: boolean; evidence?: boolean }) => {
      // Imported lazily: it loads all of pawl.
      const integration = await loadIntegration()
      const { diagnose } = await import('./doctor/diagnose.ts')
      const { findings, hasWrongSettings, config, systems } = await diagnose(process.env, integration)
      const counts = countLevels(findings)
      if (evidence) {
        const { formatEvidence, gatherEvidence } = await import('./doctor/evidence.ts')
        const gathered = gatherEvidence({
          version: ownPackage().version,
          node: process.versions.node,
          nowMs: Date.now(),
          config,
          systems,
          logFields: integration.logFields ?? [],
          findings,
        })
        if (json) printJson(print, gathered)
        else printText(print, formatEvidence(gathered))
      } else if (json) printJson(print, { findings, counts })
      else for (const line of formatFindings(findings)) print(line)
      const exitCode = hasWrongSettings ? 2 : counts.fail > 0 ? 1 : 0
      // A check that hangs must not keep the process alive; flush the output first.
      process.stdout.write('', () => process.exit(exitCode))
    })
}

/** One line per finding, in columns, and a last line with counts. */
function formatFindings(findings: readonly Finding[]): string[] {
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
