import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineHandler } from '#pawl'
import { readConfig } from '../../src/settings/read-config.ts'
import { startGateway } from '../../src/gateway.ts'
import { createScriptedApi } from '../support/scripted-api.ts'

/** A gateway whose only handler writes down when it works on what, in a file that several such processes share. */
const note = (line: string) => appendFileSync(process.env.JOURNAL ?? '', `${line}\n`) // one append is atomic

const handler = defineHandler({
  name: 'journal',
  on: ['prior_authorization.status_change'],
  async handle({ resource }) {
    note(`begin ${resource.id}`)
    await sleep(3)
    note(`end ${resource.id}`)
  },
})

const gateway = await startGateway(
  readConfig(process.env),
  { settings: {}, systems: () => ({}), handlers: [handler] },
  { api: createScriptedApi().api },
)
process.once('SIGTERM', () => void gateway.close())
