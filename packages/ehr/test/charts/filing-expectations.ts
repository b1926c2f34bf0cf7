import type { Communication, DocumentReference } from 'fhir/r4.js'
import type { ChartFile } from '../../src/ehr.ts'
import type { Chart } from '../../../../test/support/charts/start-chart.ts'
import { bytesOf, currentDocuments, getsStates, isAbout, ownNameOf, takes, textOf } from './chart-reading.ts'
import type { Matter } from './expectations.ts'

/** Faults of the messages, files and notes that a chart holds of one matter. */
export function filingFaults(chart: Chart, base: string, matter: Matter): string[] {
  const { id } = matter.resource
  const about = (each: Parameters<typeof ownNameOf>[0]) => isAbout(ownNameOf(each, base), id)
  const communications = chart.all('Communication').filter(about)
  const documents = currentDocuments(chart.all('DocumentReference').filter(about))
  /** In a task of the chart, or else in pawl's own work list. */
  const isTold = ({ title, kind }: ChartFile) =>
    takes(chart, 'Task', 'create')
      ? chart.all('Task', about).filter(({ description }) => description?.includes(title)).length === 1
      : matter.leftOut.some((type) => type.startsWith(`file/${kind}/`))
  const faults: string[] = []
  if (takes(chart, 'Communication', 'create'))
    for (const text of messagesOf(matter)) {
      const found = communications.filter((each) => saysOf(each).includes(text)).length
      if (found !== 1) faults.push(`the message "${text}" is there ${found} times`)
    }
  if (takes(chart, 'DocumentReference', 'create')) {
    if (!takes(chart, 'Communication', 'create'))
      for (const text of messagesOf(matter)) {
        const found = documents.filter((each) => textOf(each).includes(text)).length
        if (found !== (getsStates(chart) ? 1 : 0)) faults.push(`the message "${text}" is in ${found} documents`)
      }
    for (const file of matter.files ?? []) {
      const isTaken = chart.profile.documentTypes?.includes(file.contentType) ?? true
      const found = documents.filter((each) => holds(each, file) || textOf(each).includes(file.title)).length
      if (found !== (isTaken ? 1 : 0)) faults.push(`the file ${file.key} is there ${found} times`)
      if (!isTaken && !isTold(file)) faults.push(`staff were not told of the file ${file.key}`)
    }
    for (const note of matter.notes ?? []) {
      const found = documents.filter((each) => textOf(each).includes(note.text)).length
      if (found !== 1) faults.push(`the note ${note.key} is there ${found} times`)
    }
  }
  return faults.map((fault) => `${id}: ${fault}`)
}

function holds({ content }: DocumentReference, file: ChartFile): boolean {
  return content.some(
    ({ attachment: { contentType, data } }) =>
      contentType?.split(';')[0] === file.contentType && bytesOf(data).equals(file.content),
  )
}

function messagesOf({ kind, resource }: Matter): string[] {
  if (kind !== 'prior_authorization') return []
  return (resource.message_thread?.messages ?? []).flatMap(({ content }) => content ?? [])
}

function saysOf({ payload = [] }: Communication): string[] {
  return payload.flatMap(({ contentString, contentAttachment }) => [
    ...(contentString === undefined ? [] : [contentString]),
    ...(contentAttachment === undefined ? [] : bytesOf(contentAttachment.data).toString().split('\n')),
  ])
}
