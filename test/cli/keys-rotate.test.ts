import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { runPawl } from '../support/run-script.ts'

let gateway: LocalGateway
let folder: string | undefined
afterEach(async () => {
  await gateway.destroy()
  if (folder !== undefined) await rm(folder, { recursive: true })
  folder = undefined
})

async function start(settings: Record<string, string>): Promise<void> {
  const { api } = createScriptedApi()
  gateway = await startLocalGateway({ api, handlers: [] }, settings)
  await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
}

async function rotate(...args: string[]): Promise<{ code: number | null; output: string; said: string }> {
  const env = { ADMIN_PORT: new URL(gateway.adminUrl).port }
  const { code, out, err } = await runPawl(['keys', 'rotate', ...args], env)
  return { code, output: code === 0 ? out : err, said: out }
}

it('tells what is sealed with which key, and seals the rest with the newest', async () => {
  const key = randomBytes(32)
  // Without a worker beside it, what was delivered is all that there is.
  await start({ SEALING_KEYS: key.toString('base64'), ROLE: 'receiver' })
  const id = createHash('sha256').update(key).digest('hex').slice(0, 8)
  const counted = await rotate('--dry-run')
  expect(counted).toMatchObject({ code: 0, output: expect.stringMatching(new RegExp(`key ${id} +1 value`)) })
  expect(await rotate()).toMatchObject({
    code: 0,
    output: expect.stringMatching(/sealed +0 values with the newest key/),
  })
  const json = await rotate('--json')
  expect(JSON.parse(json.output)).toEqual({
    keys: { [id]: 1 },
    resealed: 0,
    unreadable: 0,
    dry_run: false,
    all_sealed: true,
  })
  expect(counted.output).toContain('All values are sealed; an unsealed one would be refused.')
})

it('says what to do where there is no key', async () => {
  await start({ SEALING: 'off' })
  expect(await rotate()).toMatchObject({ code: 1, output: expect.stringContaining('set SEALING_KEYS and restart') })
})

it('turns sealing on: refuses what is plain until it is told to, then seals it and says when all is sealed', async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-rotate-'))
  const place = { DATABASE_URL: `file:${join(folder, 'pawl.db')}`, ROLE: 'receiver' }
  await start({ ...place, SEALING: 'off' })
  await gateway.close()
  const SEALING_KEYS = randomBytes(32).toString('base64')
  await expect(start({ ...place, SEALING_KEYS })).rejects.toThrow('set SEALING=turning_on')
  await start({ ...place, SEALING_KEYS, SEALING: 'turning_on' })
  expect(await rotate('--dry-run')).toMatchObject({
    code: 0,
    said: expect.not.stringContaining('All values are sealed'),
  })
  expect(await rotate()).toMatchObject({
    code: 0,
    said: expect.stringContaining('remove SEALING=turning_on and restart'),
  })
  await gateway.close()
  await start({ ...place, SEALING_KEYS })
  expect(await rotate()).toMatchObject({ code: 0, said: expect.stringContaining('an unsealed one would be refused') })
})
