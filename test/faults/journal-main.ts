import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineHandler } from '#pawl'
import { createApi } from '../../packages/client/src/api/client.ts'
import type { Clock } from '../../packages/base/src/clock.ts'
import { ehrSettings } from '@pawl/ehr'
import { readConfig } from '../../src/settings/read-config.ts'
import type { Ehr } from '../../packages/ehr/src/ehr.ts'
import type { System } from '../../packages/connector/src/system.ts'
import { staticToken } from '../../packages/ehr/src/fhir/auth/token-provider.ts'
import { createFhirEhr } from '../../packages/ehr/src/fhir/fhir-ehr.ts'
import { hl7Ehr } from '../../packages/ehr/src/hl7/hl7-from.ts'
import { createMemoryEhr } from '../../packages/ehr/src/memory/memory-ehr.ts'
import { startGateway } from '../../src/gateway.ts'
import { type Note, noteDown } from './journal.ts'

/** A gateway that notes in a journal when it works on what and what it writes, with a clock that a file sets and handlers that misbehave by a word in the id. */
const journal = process.env.JOURNAL ?? ''
const workMs = Number(process.env.WORK_MS ?? 20)
const note = (what: Note, id: string, detail?: string) => noteDown(journal, process.pid, what, id, detail)

const clockFile = process.env.CLOCK_FILE
const clock: Clock | undefined =
  clockFile === undefined
    ? undefined
    : { now: () => Date.now() + (existsSync(clockFile) ? Number(readFileSync(clockFile, 'utf8')) : 0) }

/** True once for each name, across processes. */
function isFirst(name: string): boolean {
  const flag = `${journal}.${name}`
  if (existsSync(flag)) return false
  writeFileSync(flag, '')
  return true
}

function holdUpEventLoop(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const handler = defineHandler({
  name: 'chart',
  on: ['prior_authorization.status_change'],
  timeoutMs: Number(process.env.HANDLER_TIMEOUT_MS ?? 2_000),
  async handle({ resource, ehr, once, signal }) {
    const { id, status } = resource
    note('begin', id)
    try {
      await sleep(workMs, undefined, { signal })
      if (id.includes('throws')) throw new Error('this one never works')
      if (id.includes('hangs') && isFirst(id)) await new Promise<never>(() => {})
      if (id.includes('kills')) process.kill(process.pid, 'SIGKILL')
      if (id.includes('blocks') && isFirst(id)) holdUpEventLoop(Number(process.env.BLOCK_MS))
      await once(status, () => Promise.resolve(note('effect', id, status)))
      note('remembered', id, status)
      await ehr.putPriorAuthorization(resource)
    } finally {
      note('end', id)
    }
  },
})

const ehrTimeoutMs = Number(process.env.EHR_TIMEOUT_MS ?? 2_000)
const config = readConfig(process.env, ehrSettings)
const { EHR_URL: url, FHIR_BASE_URL: baseUrl, FHIR_IDENTIFIER_BASE: identifierBase } = config.settings
const inner =
  url !== undefined
    ? hl7Ehr(url, config.settings)
    : baseUrl === undefined
      ? createMemoryEhr()
      : createFhirEhr({ baseUrl, identifierBase, tokens: staticToken('none'), timeoutMs: ehrTimeoutMs })
const ehr: System<Ehr> = {
  open(run) {
    let status = '-'
    const assertMayAct = () => {
      run.assertMayAct()
      note('may_write', run.resourceId, status)
    }
    const port = inner.open({ ...run, assertMayAct })
    return {
      ...port,
      async putPriorAuthorization(resource) {
        status = resource.status
        assertMayAct()
        await port.putPriorAuthorization(resource)
        note('wrote', resource.id, resource.status)
      },
    }
  },
}
const apiTimeout = process.env.API_TIMEOUT_MS
const api =
  config.api === undefined || apiTimeout === undefined
    ? undefined
    : createApi({
        ...config.api,
        ...(clock && { clock }),
        timeoutMs: Number(apiTimeout),
        maxWaitMs: Number(apiTimeout),
      })

const integration = { settings: {}, systems: () => ({ ehr }), handlers: [handler] }
const gateway = await startGateway(config, integration, { ...(clock && { clock }), ...(api && { api }) })
process.once('SIGTERM', () => void gateway.close())
