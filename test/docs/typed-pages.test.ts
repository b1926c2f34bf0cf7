import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { patient } from '../../packages/sandbox/src/sample-requests.ts'
import { shippedHandlers } from '../../templates/index.ts'
import { verifyPassword } from '../../packages/base/src/password-hash.ts'
import { Environment } from '../../src/settings/environment.ts'
import { clientId, clientSecret, departmentId, practiceId, startAthenaOne } from '../support/athena-one.ts'
import { startHl7Listener } from '../support/hl7-listener.ts'
import { buildVariable } from '../support/run-script.ts'
import { type RunbookWorld, startRunbookWorld } from './runbook-world.ts'
import { pages, shellBlocks, typedBlocks, typedElsewhere } from './shell-blocks.ts'

vi.setConfig({ testTimeout: 900_000 })

let world: RunbookWorld
afterEach(() => world.close())

/** Long enough for a password, too. */
const internalId = 'patient-of-these-pages'

/** A world that knows one finished PA; resolves with its id. */
async function startKnowing(parts: Parameters<typeof startRunbookWorld>[0] = {}): Promise<string> {
  world = await startRunbookWorld(parts)
  await world.chart.admit({ ...patient, internal_id: internalId })
  const [id = ''] = await world.create(1, internalId)
  await world.atRest([id])
  return id
}

const own = [
  'docs/deploying.md',
  'docs/failure.md',
  'docs/security.md',
  'docs/ehr.md',
  'docs/hl7.md',
  'docs/athena.md',
  'docs/starting.md',
]
const others = pages.filter(
  (page) => !own.includes(page) && typedElsewhere[page] === undefined && typedBlocks(page).length > 0,
)

it.each(others)('the commands of %s work as they are typed', async (page) => {
  const id = await startKnowing()
  await world.type(typedBlocks(page), { id })
})

it('the commands of docs/ehr.md find a patient, say what will be written, and show what was', async () => {
  const id = await startKnowing()
  await world.chart.admit({ ...patient, internal_id: '12345' })
  const typed = await world.type(typedBlocks('docs/ehr.md'), { id })
  expect(typed[0]?.output).toMatch(/ehr +ok/)
  expect(typed.find(({ command }) => command.includes('--mend'))?.output).toMatch(/^same +Task\//m)
})

it('the commands of docs/athena.md try a document for the test patient', async () => {
  const athena = await startAthenaOne()
  try {
    await startKnowing()
    athena.addPatient('60178', '01/31/1970')
    const { FHIR_BASE_URL: _, ...others } = world.env
    const env = {
      ...others,
      ATHENA_BASE_URL: `http://127.0.0.1:${athena.port}`,
      ATHENA_PRACTICE_ID: practiceId,
      ATHENA_CLIENT_ID: clientId,
      ATHENA_CLIENT_SECRET: clientSecret,
      ATHENA_DEPARTMENT_ID: departmentId,
      ATHENA_DOCUMENT_SUBCLASS: 'CONSULTNOTE',
    }
    const [{ output } = { output: '' }] = await world.type(typedBlocks('docs/athena.md'), { env })
    expect(output).toContain('and deleted again')
  } finally {
    await athena.close()
  }
})

it('the commands of docs/hl7.md try a document at the listener', async () => {
  const listener = await startHl7Listener()
  try {
    await startKnowing()
    await world.chart.admit({ ...patient, internal_id: '12345' })
    const env = { ...world.env, EHR_URL: `mllp://127.0.0.1:${listener.port}` }
    const [{ output } = { output: '' }] = await world.type(typedBlocks('docs/hl7.md'), { env })
    expect(output).toContain('It acknowledged the end of the document (MDM^T11).')
  } finally {
    await listener.close()
  }
})

it('the commands of docs/starting.md show a request of the chart, and send it', async () => {
  await startKnowing()
  await world.chart.prescribe()
  const [shown, ...sent] = await world.type(typedBlocks('docs/starting.md'))
  expect(shown?.output).not.toContain('Sent')
  expect(sent.map(({ output }) => /Sent: (pa_req|bv)_/.exec(output)?.[1])).toEqual(['pa_req', 'bv'])
})

it('the commands of docs/failure.md retry and discard what is parked', async () => {
  const handlers = shippedHandlers.map((each) => ({
    ...each,
    handle: () => Promise.reject(new TypeError('a bug')),
  }))
  const id = await startKnowing({ parts: { handlers }, settings: { RETRY_ATTEMPTS: '1' } })
  const typed = await world.type(typedBlocks('docs/failure.md'), {
    id,
    before: {
      'npm run pawl -- retry --all': () => world.atRest([id]),
      'npm run pawl -- discard': () => world.atRest([id]),
    },
  })
  const told = (part: string) => typed.find(({ command }) => command.includes(part))?.output
  expect(told('parked')).toContain(id)
  expect(told('retry --resource')).toMatch(/Due again: \d+ pieces of work\./)
  expect(told('retry --all')).toMatch(/Due again: \d+ pieces of work\./)
  expect(told('discard')).toContain(`Discarded: the work of prior-authorization-to-ehr on ${id}.`)
})

it('the commands of docs/security.md make a person, read the trail and erase a patient', async () => {
  const id = await startKnowing()
  // The service has stopped.
  world.sandbox.controls.removeWebhook('pawl')
  const typed = await world.type(typedBlocks('docs/security.md'), { id, input: internalId })
  const told = (part: string) => typed.find(({ command }) => command.includes(part))?.output ?? ''
  const [setting = ''] = shellBlocks('docs/security.md').filter((block) => block.startsWith('ADMIN_USERS='))
  const [, array = ''] = /'(.*)'/.exec(setting) ?? []
  const [entry] = Environment.shape.ADMIN_USERS.parse(array.replace(/\{.*\}/, told('users hash').trim())) ?? []
  expect(entry).toMatchObject({ name: 'maria', roles: ['operator', 'reveal'] })
  expect(await verifyPassword(internalId, entry?.password ?? '')).toBe(true)
  expect(told('audit verify')).toContain('unbroken')
  expect(told('--dry-run')).toMatch(new RegExp(`found +${id}`))
  expect((await world.pawl('cat audit.ndjson')).output).toContain('"resourceType":"AuditEvent"')
})

it('the commands of docs/deploying.md work in the shell that it sets up, with any characters in a password', async () => {
  const password = `it's "$HOME" & others; #1`
  const id = await startKnowing({ settings: { ADMIN_PASSWORD: password.replace("'", '') } })
  const build = process.env[buildVariable]
  if (build !== undefined) await mkdir(join(world.folder, 'opt'))
  if (build !== undefined) await symlink(build, join(world.folder, 'opt/pawl'))
  for (const name of ['pawl', 'worker']) {
    const path = join(world.folder, 'etc/pawl', `${name}.env`)
    await mkdir(dirname(path), { recursive: true })
    const settings = name === 'pawl' ? Object.entries(world.env) : [['ROLE', 'worker']]
    await writeFile(path, settings.map(([key, value]) => `${key}='${value}'\n`).join(''))
  }
  const moved = typedBlocks('docs/deploying.md').map((block) =>
    block
      .replaceAll('/etc/pawl', join(world.folder, 'etc/pawl'))
      .replaceAll('/opt/pawl', join(world.folder, 'opt/pawl'))
      .replaceAll('bv_456', id),
  )
  const [shell = '', ...commands] = moved
  expect(shell).toContain('alias pawl=')
  const typed = await world.type(
    commands.map((block) => shell + block),
    { id, env: {} },
  )
  expect(typed.some(({ command }) => command.includes('ledger backup'))).toBe(true)
})
