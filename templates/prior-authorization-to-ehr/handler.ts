import { type ChartFile, defineHandler, EhrWriteFailed, FileTooLarge } from '#pawl'

/** Keeps the patient's chart in step with each prior authorization and its messages, with the files that came with these. */
export default defineHandler({
  name: 'prior-authorization-to-ehr',
  on: ['prior_authorization.status_change', 'prior_authorization.message'],
  // A file may take half a minute, and there may be several.
  timeoutMs: 300_000,
  async handle({ resource, changes, api, ehr, log, signal }) {
    await ehr.putPriorAuthorization(resource)
    const failures: unknown[] = []

    function note(error: unknown): void {
      if (isNotForTheChart(error)) log.warn({ error }, 'attachment left out: the chart cannot hold it')
      else failures.push(error)
    }

    /** Those that can be had. */
    async function filesOf({ id, timestamp, attachments = [] }: (typeof changes.newMessages)[number]) {
      const files: ChartFile[] = []
      for (const [index, { id: attachmentId = index, file_name: title = 'Attachment', url }] of attachments.entries()) {
        if (url === undefined) continue
        try {
          const file = await api.downloadFile(url, { signal })
          files.push({ ...file, key: `${id}/${attachmentId}`, kind: 'attachment', title, at: timestamp })
        } catch (error) {
          note(error)
        }
      }
      return files
    }

    // Written once, with what came: a file that fails keeps no text from the chart, and the retry, which writes the message again with all its files, changes only what was missing.
    for (const message of changes.newMessages)
      await ehr.putMessage(resource, message, await filesOf(message)).catch(note)
    if (failures.length > 0) throw failures[0]
  },
})

/** Too large, or of a type that the chart does not take: no retry would change that. */
function isNotForTheChart(error: unknown): boolean {
  return error instanceof FileTooLarge || (error instanceof EhrWriteFailed && [413, 415].includes(error.status ?? 0))
}
