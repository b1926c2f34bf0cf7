import { type ChartFile, defineHandler, FileTooLarge, isFileRefusedByChart, type Message } from '#pawl'

/** Files the messages of each prior authorization in the chart, with the files that came with them. */
export default defineHandler({
  name: 'messages-to-ehr',
  on: ['prior_authorization.message', 'prior_authorization.status_change'],
  // A file may take half a minute, and there may be several.
  timeoutMs: 300_000,
  async handle({ resource, changes, api, ehr, log, signal }) {
    const failures: unknown[] = []

    function note(error: unknown): void {
      if (error instanceof FileTooLarge || isFileRefusedByChart(error))
        log.warn({ error }, 'attachment left out: the chart cannot hold it')
      else failures.push(error)
    }

    /** Those that can be had. */
    async function filesOf({ id, timestamp, attachments = [] }: Message): Promise<ChartFile[]> {
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
