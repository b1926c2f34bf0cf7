import { ruleTitles } from './judge-steps.ts'
import { createTextSearch } from './find-texts.ts'
import { privateValues } from './canary-people.ts'
import { describeFaults, describeReached } from './reached.ts'
import type { ConformanceResult } from './run-conformance.ts'
import { describeStep } from './steps.ts'

/** The report as lines of plain text: the failure first, then every rule. */
export function formatReport(result: ConformanceResult, { savedAt }: { savedAt: string | undefined }): string[] {
  const { failure, runs, tookMs, missing, reached, unrecorded } = result
  const verdict =
    failure !== undefined
      ? `${failure.rule} fails.`
      : missing > 0
        ? `inconclusive: time ran out before ${missing} more. Try again on a machine with less to do.`
        : 'every rule holds.'
  const faults = describeFaults(reached)
  const lines = [
    ...(failure === undefined ? [] : [...tellFailure(failure, savedAt), '']),
    ...[...ruleTitles].map(
      ([id, title]) => `${outcomeOf(id, result).padEnd(6)} ${id.padEnd(20)} ${title}${reasonFor(id, result)}`,
    ),
    '',
    ...(failure === undefined
      ? ['What the service showed:', ...describeReached(reached).map((line) => `  ${line}`), '']
      : []),
    ...(faults.length > 0
      ? ['Changes to your own systems that met a fault:', ...faults.map((line) => `  ${line}`), '']
      : []),
    ...[...unrecorded].map((sentence) => `Not judged: ${sentence}`),
    `${runs} lists of steps in ${Math.round(tookMs / 1_000)} s: ${verdict}`,
  ]
  return lines.map(withoutPatientData)
}

const find = createTextSearch(privateValues)

/** Last barrier: a line with patient data is dropped. Verdicts should hold labels, codes and numbers only. */
export function withoutPatientData(line: string): string {
  return find(line).length === 0 ? line : '(line withheld: it contains patient data)'
}

function tellFailure(failure: NonNullable<ConformanceResult['failure']>, savedAt: string | undefined): string[] {
  const { rule, because, steps, foundWith, before = [], isReproducible, isCutShort } = failure
  return [
    `These ${steps.length} steps fail (found with ${foundWith}):`,
    ...steps.map((step, index) => `  ${String(index + 1).padStart(2)}. ${describeStep(step)}`),
    ...(before.length > 0
      ? [
          `They fail only after the ${before.length} lists that the same process ran before; the saved file includes those.`,
        ]
      : []),
    ...(isCutShort ? ['Shrinking was cut short: some of these steps may not matter.'] : []),
    ...(isReproducible ? [] : ['They did not fail again in a new process: the failure depends on timing or chance.']),
    '',
    `What happened: ${because}`,
    `The rule: ${rule} (${ruleTitles.get(rule) ?? ''}); see docs/conformance.md#${rule}`,
    ...(savedAt === undefined ? [] : [`Again: npm run conformance -- --replay ${savedAt}`]),
  ]
}

/** Verdict on one rule over all runs. */
export function outcomeOf(id: string, { tally, failure }: ConformanceResult): 'pass' | 'FAIL' | 'n/a' {
  if (failure?.rule === id) return 'FAIL'
  return (tally.get(id)?.passes ?? 0) > 0 ? 'pass' : 'n/a'
}

function reasonFor(id: string, result: ConformanceResult): string {
  if (outcomeOf(id, result) !== 'n/a') return ''
  return `: ${result.tally.get(id)?.whyNot ?? 'no run reached it'}`
}
