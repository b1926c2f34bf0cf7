import { isBenefitVerification } from './fhir/mapping/is-benefit-verification.ts'
import type { StaffTask, Subject, UnfiledFile } from './ehr.ts'
import { fileKinds } from './narrative/file-title.ts'
import { shownTime } from './narrative/narrative.ts'
import { join, text } from './primitives.ts'

/** A staff task for a file that the chart cannot hold: which one, and where it is. Never its address, which expires and is secret. */
export function fileTask(subject: Subject, { key, kind, title, at }: UnfiledFile): StaffTask {
  const url = isBenefitVerification(subject) ? undefined : text(subject.url)
  const named = join([fileKinds[kind], title, shownTime(at)], ', ')
  return {
    key: `file/${key}`,
    title: 'Look at a file that the chart cannot hold',
    reason: 'file_not_in_chart',
    instructions: `${named}. ${url === undefined ? 'It is with the prior authorization service.' : `Open it at ${url}.`}`,
  }
}
