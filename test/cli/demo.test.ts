import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { until } from '../support/until.ts'

function demo(...args: string[]) {
  const child = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', 'src/cli/demo.ts', ...args])
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  return { child, output: () => output, exited: once(child, 'exit').then(([code]: unknown[]) => code) }
}

it('the demo ends with every resource in step', async () => {
  const { output, exited } = demo()
  expect(await exited, output()).toBe(0)
  const rows = output()
    .split('\n')
    .filter((line) => /^(PA, |BV of )/.test(line))
  expect(rows).toHaveLength(6)
  for (const row of rows) expect(row).toMatch(/ yes$/)
  for (const status of ['completed', 'cancelled', 'not_submitted', 'awaiting_review']) {
    expect(rows.some((row) => row.includes(status))).toBe(true)
  }
  expect(output()).toContain('copy of event')
  expect(output()).toContain('All 6 resources are in step')
})

it('the demo keeps everything running on request, prints the addresses, and stops on SIGTERM', async () => {
  const { child, output, exited } = demo('--keep', '--seed', '5')
  await until('the addresses', () => output().includes('pawl, ledger'))
  const admin = /pawl, admin +(\S+)/.exec(output())?.[1] ?? ''
  expect(await (await fetch(admin)).json()).toMatchObject({ status: 'ready', parked: 0, due: 0 })
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
})

it('the demo says what it can do, and what it cannot', async () => {
  const help = demo('--help')
  expect(await help.exited).toBe(0)
  expect(help.output()).toContain('--keep')
  const wrong = demo('--seed', 'abc')
  expect(await wrong.exited).toBe(2)
  expect(wrong.output()).toContain('whole number')
})
