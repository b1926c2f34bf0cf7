import { defineHandler } from '../../../../../src/index.ts'

const lines: string[] = []

/** Wrong: collects the lines of a note in the module, where the run of another patient replaces them before they are written. */
export const handler = defineHandler({
  name: 'thread-for-nurses',
  on: ['prior_authorization.message', 'prior_authorization.status_change'],
  async handle({ resource, ehr }) {
    const thread = resource.message_thread
    if (thread?.messages === undefined || thread.messages.length === 0) return
    lines.length = 0
    for (const { direction, content } of thread.messages)
      lines.push(`${direction === 'sent' ? 'We' : 'They'}: ${content ?? ''}`)

    const task = { key: 'thread', reason: 'question_open', title: 'Read the thread of a prior authorization' }
    if (thread.is_resolved === true) await ehr.closeStaffTask(resource, 'completed', task.key)
    else await ehr.openStaffTask(resource, task)
    await ehr.putNote(resource, { key: 'thread', title: 'Thread of the request', text: lines.join('\n') })
  },
})
