import { ruleTitles } from './judge-steps.ts'
import { outcomeOf, withoutPatientData } from './conformance-report.ts'
import type { ConformanceResult } from './run-conformance.ts'
import { describeStep } from './steps.ts'

/** The result as JUnit XML, with one test case per rule. */
export function formatJunit(result: ConformanceResult): string {
  const { failure, tally, tookMs } = result
  const cases = [...ruleTitles].map(([id, title]) => {
    const outcome = outcomeOf(id, result)
    const name = `<testcase classname="conformance" name="${escape(`${id}: ${title}`)}"`
    if (outcome === 'pass') return `  ${name}/>`
    if (outcome === 'n/a')
      return `  ${name}><skipped message="${escape(withoutPatientData(tally.get(id)?.whyNot ?? 'no run reached it'))}"/></testcase>`
    const steps = (failure?.steps ?? []).map(describeStep).join('\n')
    return `  ${name}><failure message="${escape(withoutPatientData(failure?.because ?? ''))}">${escape(steps)}</failure></testcase>`
  })
  const count = (outcome: string) => [...ruleTitles.keys()].filter((id) => outcomeOf(id, result) === outcome).length
  const counts = `tests="${ruleTitles.size}" failures="${count('FAIL')}" skipped="${count('n/a')}" time="${(tookMs / 1_000).toFixed(1)}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="conformance" ${counts}>`,
    ...cases,
    '</testsuite>',
    '',
  ].join('\n')
}

function escape(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}
