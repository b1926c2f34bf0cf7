import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import { samplePriorAuthorization } from '../support/samples.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { type LocalGateway, startLocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { readPage } from './readme-examples.ts'

const execute = promisify(execFile)

let gateway: LocalGateway
let folder: string
afterEach(async () => {
  await gateway.destroy()
  await rm(folder, { recursive: true })
})

it('the program of docs/leaving.md prints the snapshots of a sealed ledger', async () => {
  const service = createScriptedApi()
  const keys = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64')).join(',')
  gateway = await startLocalGateway({ api: service.api }, { SEALING_KEYS: keys })
  const pa = { ...samplePriorAuthorization() }
  service.set(pa)
  await deliver(gateway.url, envelope(pa))
  await until('nothing is due', async () => (await gateway.ledger.counts()).due === 0, 60_000)

  const [, program = ''] = /```js\n\/\/ leave\.mjs\n([^]*?)```/.exec(await readPage('docs/leaving.md')) ?? []
  folder = await mkdtemp(join(tmpdir(), 'pawl-leaving-'))
  await writeFile(join(folder, 'leave.mjs'), program)
  await mkdir(join(folder, 'node_modules'))
  // Under this name the lock file has the release for this Node.
  const driver = fileURLToPath(new URL('../../node_modules/better-sqlite3-12', import.meta.url))
  await symlink(driver, join(folder, 'node_modules', 'better-sqlite3'))
  const { stdout } = await execute(process.execPath, ['leave.mjs', gateway.databasePath], {
    cwd: folder,
    env: { ...process.env, SEALING_KEYS: keys },
  })
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toEqual([expect.objectContaining({ id: pa.id, patient: pa.patient })])
})
