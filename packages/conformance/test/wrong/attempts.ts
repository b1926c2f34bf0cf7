import { randomUUID } from 'node:crypto'
import { defineHandler } from '../../../../src/index.ts'
import { beside, send, tell } from '../own-handlers.ts'

const client = randomUUID()

/** Handlers that are wrong when they try again, or do not. */
export const attemptHandlers = {
  'has a key of its process for a BV': defineHandler({
    name: 'own-handler',
    on: ['benefit_verification.status_change'],
    async handle({ resource: { id, status } }) {
      await tell('POST', 'https://desk.example/verified', { of: id, status }, `${client}/${id}`)
    },
  }),

  'counts what it tries': beside(async ({ resource, memory, changes, ehr }) => {
    if (changes.status === undefined) return
    const count = Number((await memory.read(resource.id)) ?? 0) + 1
    await memory.write(resource.id, String(count))
    const text = `Change no. ${count}: ${resource.status}.`
    await ehr.putNote(resource, { key: resource.status, title: 'Change', text })
  }),

  'takes a failed look for an attempt that is known': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.provider_outreach_change'],
    async handle({ resource: { id, state } }) {
      if (state !== 'failed' && state !== 'responded') return
      const { status } = await send('GET', `https://desk.example/attempts/${id}`)
      if (status === 404) await tell('PUT', `https://desk.example/attempts/${id}`, { id, state })
    },
  }),

  'knows few answers of an outage': beside(async ({ resource: { id, status } }) => {
    const answer = await send('PUT', `https://desk.example/cases/${id}`, { status })
    if (answer.status === 503 || answer.status === 429) throw new Error('It is tried again.')
  }),

  'keys what it posts by the day': beside(async ({ resource: { id, status }, changes }) => {
    if (changes.status === undefined) return
    const day = new Date().toISOString().slice(0, '2026-01-01'.length)
    await tell('POST', 'https://desk.example/moves', { id, status }, `${id}/${status}/${day}`)
  }),

  'files the first attachment alone': beside(async ({ resource, changes, once }) => {
    for (const { id, attachments = [] } of changes.newMessages) {
      const [first] = attachments
      if (first !== undefined)
        await once(id, () =>
          tell('POST', 'https://archive.example/files', { of: resource.id, name: first.file_name }, id),
        )
    }
  }),
}
