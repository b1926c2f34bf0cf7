import { type Activity, defineHandler, FileTooLarge } from '#pawl'
import { type ChartFile, isFileRefusedByChart } from '@pawl/ehr'

/** The activities with a file, and its kind and title in the chart. */
const faxes: Partial<Record<string, Pick<ChartFile, 'kind' | 'title'>>> = {
  sent_fax: { kind: 'fax_sent', title: 'Fax sent to the payer' },
  received_fax: { kind: 'fax_received', title: 'Fax received from the payer' },
}

/** Files the faxes of a prior authorization in the chart, and the notes of calls to the payer. */
export default defineHandler({
  name: 'letters-and-faxes-to-ehr',
  on: ['prior_authorization.activity_log_updated', 'prior_authorization.status_change'],
  reads: ['activity_log'],
  // One file may take half a minute, and there may be several.
  timeoutMs: 300_000,
  async handle(context) {
    const { resource, previous, ehr, log } = context
    const done = new Set(previous?.activity_log?.filter(isComplete).map(keyOf))

    async function file(key: string, { type, details, created_at: at }: Activity): Promise<void> {
      const fax = faxOf(type)
      if (fax !== undefined && details?.url !== undefined) {
        const download = context.api.downloadFile(details.url, { signal: context.signal })
        const { content, contentType } = await download.catch(async (error: unknown) => {
          if (error instanceof FileTooLarge) await ehr.tellOfFile(resource, { ...fax, key, at })
          throw error
        })
        await ehr.putFile(resource, { ...fax, key, at, contentType, content })
      } else if (type === 'follow_up_call' && details?.notes)
        await ehr.putNote(resource, { key, kind: 'contact', title: 'Call to the payer', text: details.notes, at })
    }

    const failures: unknown[] = []
    for (const activity of resource.activity_log ?? []) {
      const key = keyOf(activity)
      if (key === undefined || done.has(key) || !isComplete(activity)) continue
      try {
        await file(key, activity)
      } catch (error) {
        // One failed file does not delay the others.
        if (error instanceof FileTooLarge || isFileRefusedByChart(error))
          log.warn({ error }, 'file left out: the chart cannot hold it')
        else failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  },
})

function faxOf(type: Activity['type']) {
  return type === undefined ? undefined : faxes[type]
}

function keyOf({ id, created_at }: Activity): string | undefined {
  return id ?? created_at
}

/** A fax may be announced before its file exists. */
function isComplete({ type, details }: Activity): boolean {
  return faxOf(type) === undefined || details?.url !== undefined
}
