import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-licences-'))
})
afterEach(() => rm(folder, { recursive: true }))

function check(...args: string[]) {
  return new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(process.execPath, ['scripts/check-licences.mjs', ...args], { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}

async function checkOne(entry: { license?: string; dev?: true }) {
  const lockFile = join(folder, 'package-lock.json')
  await writeFile(lockFile, JSON.stringify({ packages: { '': {}, 'node_modules/one': entry } }))
  return check(lockFile)
}

it('every production dependency has a licence that was agreed to', async () => {
  expect(await check()).toMatchObject({ code: 0, output: expect.stringContaining('all under licences') })
})

it.each(['MIT', '(GPL-3.0-only OR Apache-2.0)', 'ISC AND MIT'])('%s is agreed to', async (license) => {
  expect((await checkOne({ license })).code).toBe(0)
})

it.each(['AGPL-3.0-only', 'MIT AND GPL-2.0-only', 'UNLICENSED', undefined])('%s is not', async (license) => {
  const { code, output } = await checkOne(license === undefined ? {} : { license })
  expect(code).toBe(1)
  expect(output).toContain(`node_modules/one: ${license ?? 'no licence is stated'}`)
})

it('development dependencies may have any licence', async () => {
  expect((await checkOne({ license: 'GPL-3.0-only', dev: true })).code).toBe(0)
})
