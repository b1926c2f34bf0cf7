import { defineHandler, type Message } from '../../../../../src/index.ts'

const atATime = 2

/** Odd: writes side by side, two at most, and fails only after all have been tried. */
export const handler = defineHandler({
  name: 'thread-as-notes',
  on: ['prior_authorization.message', 'prior_authorization.status_change'],
  timeoutMs: 120_000,
  async handle({ resource, changes, ehr }) {
    const left = [...changes.newMessages]
    const failures: unknown[] = []

    async function write({ id, timestamp, content, direction }: Message): Promise<void> {
      const title = direction === 'sent' ? 'Message to the service team' : 'Message of the service team'
      await ehr.putNote(resource, { key: `thread/${id}`, title, text: content ?? '', at: timestamp })
    }

    async function writeInTurn(): Promise<void> {
      for (let message = left.shift(); message !== undefined; message = left.shift())
        await write(message).catch((error: unknown) => failures.push(error))
    }

    await Promise.all(Array.from({ length: atATime }, () => writeInTurn()))
    if (failures.length > 0) throw failures[0]
  },
})
