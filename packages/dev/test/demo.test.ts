import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runDemo } from '../src/demo/run-demo.ts'
import { type FollowedProcess, followProcess } from '../../../test/support/follow-process.ts'
import { createForkTree } from '../../../test/support/fork-tree.ts'
import { argumentsFor } from '../../../test/support/run-script.ts'
import { shippedIndex } from '../../../test/support/shipped-integration.ts'

let folder: string
const running: FollowedProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demo-test-'))
  // Cache of the sources that tsx has compiled.
  const compiled = `tsx-${process.getuid?.()}`
  await mkdir(join(tmpdir(), compiled), { recursive: true })
  await symlink(join(tmpdir(), compiled), join(folder, compiled))
})
afterEach(async () => {
  for (const demo of running.splice(0)) await demo.end('SIGKILL')
  await rm(folder, { recursive: true })
})

const demo = (...args: string[]) => demoAfter('', ...args)

/** The command, with a folder of its own for temporary files, after a script that runs in its process. */
function demoAfter(script: string, ...args: string[]) {
  const first = `data:text/javascript,${encodeURIComponent(script)}`
  const child = spawn(process.execPath, ['--import', first, ...argumentsFor('packages/dev/src/demo.ts'), ...args], {
    env: { ...process.env, TMPDIR: folder },
  })
  const followed = followProcess(child, 'close', 180_000)
  running.push(followed)
  return followed
}

/** Files of its ledger that a demo left behind. */
const remains = async () => (await readdir(folder)).filter((name) => name.startsWith('pawl-demo-'))

/** The demo of a fork with the handlers of `demo-handlers.ts`. */
async function demoOfFork(patienceMs: number) {
  const index = shippedIndex.replace('[...shippedHandlers]', '[...wrong]')
  const own = `import { wrong } from '../../packages/dev/test/demo-handlers.ts'\n${index}`
  const fork = await createForkTree(new Map([['src/integration/index.ts', own]]))
  const lines: string[] = []
  try {
    const isInStep = await runDemo({
      root: fork.path,
      print: (line) => lines.push(line),
      isColoured: false,
      verbose: true,
      seed: 5,
      patienceMs,
      signal: new AbortController().signal,
    })
    return { isInStep, output: lines.join('\n') }
  } finally {
    await fork.destroy()
  }
}

it('the demo shows every resource in sync and its journey, keeps running on request, and exits with its verdict on a signal', async () => {
  const { prints, output, end } = demo('--verbose', '--keep', '--seed', '5')
  await prints('Commands find it')
  const rows = output()
    .split('\n')
    .filter((line) => /^(PA, |BV of )/.test(line))
  expect(rows).toHaveLength(6)
  for (const row of rows) expect(row).toMatch(/ yes$/)
  for (const status of ['completed', 'cancelled', 'not_submitted', 'awaiting_review']) {
    expect(rows.some((row) => row.includes(status))).toBe(true)
  }
  for (const passed of [
    /PA, denied +webhook prior_authorization\.status_change$/m,
    / +webhook \S+, a copy: nothing to do$/m,
    /PA, denied +prior-authorization-to-ehr +\S+ → completed \(denied\) +wrote .*ClaimResponse/,
    /PA, waits for review +messages?-to-ehr .* wrote Communication/,
    /BV of three drugs +benefit-verification-to-ehr .*completed.* wrote .*CoverageEligibilityResponse/,
    / +prescription-transfer-to-pharmacy .* wrote prescription_transfer\.updated/,
    /events +duplicates +API reads +writes +documents +in sync/,
  ])
    expect(output()).toMatch(passed)
  expect(output()).toContain('All 6 resources are in sync')
  expect(output()).not.toContain('audit')
  const admin = /console +(\S+)/.exec(output())?.[1] ?? ''
  expect(await (await fetch(`${admin}readyz`)).json()).toMatchObject({ status: 'ready', parked: 0, due: 0 })
  expect(await end('SIGTERM')).toBe(0)
  expect(await remains()).toEqual([])
})

// The process sends the signal to itself, so that no stall of this one can make it late; twice, as npm passes on what a terminal sent to both.
const interruptSelf = (name: string) => `process.kill(process.pid, '${name}'); process.kill(process.pid, '${name}');`

it('the demo that gets a signal amid its scenario exits without a verdict', async () => {
  const { output, exited } = demoAfter(
    `
    const write = process.stdout.write.bind(process.stdout)
    process.stdout.write = (text, ...rest) => {
      if (text.includes('BV of three drugs')) { ${interruptSelf('SIGTERM')} }
      return write(text, ...rest)
    }`,
    '--verbose',
  )
  expect(await exited, output()).toBe(143)
  expect(output()).toContain('webhook prior_authorization.status_change')
  expect(output()).toContain('Interrupted before the comparison (SIGTERM)')
  expect(output()).not.toContain('resources are')
  expect(await remains()).toEqual([])
})

it.each([
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const)('the demo that gets %s while it starts exits with %i, and leaves nothing behind', async (name, code) => {
  const { exited, output } = demoAfter(`
    import { readdirSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    const look = setInterval(() => {
      if (!readdirSync(tmpdir()).some((name) => name.startsWith('pawl-demo-'))) return
      clearInterval(look)
      ${interruptSelf(name)}
    }, 1)`)
  expect(await exited, output()).toBe(code)
  expect(output()).toContain(`Interrupted before the comparison (${name})`)
  expect(await remains()).toEqual([])
})

it('the demo with failing or wrong handlers lists the resources out of sync, with reasons', async () => {
  const { isInStep, output } = await demoOfFork(8_000)
  expect(isInStep).toBe(false)
  const place = String.raw`unexpected: TypeError at demo-handlers\.ts:\d+`
  expect(output).toMatch(
    /BV of three drugs +broken +.*unexpected TypeError at demo-handlers\.ts:\d+ \(attempt \d, again in/,
  )
  expect(output).toMatch(new RegExp(`BV of three drugs: broken is parked: it failed with ${place}$`, 'm'))
  expect(output).toContain('PA, waits for review: waiting is due: it failed with not_today: Somebody has to sign')
  expect(output).toContain('no progress for 8 s')
  expect(output).toMatch(/PA, denied +announcing +tell the team here +.*status=completed/)
  expect(output).not.toContain('Testa Sample')
  for (const difference of [
    /^PA, waits for review: message \S+ is Something else\., not They are on their way\.$/m,
    /^PA, waits for review: the open staff task is absent, not awaiting_review$/m,
    /^PA, information missing: the open staff task is absent, not more_information_required$/m,
    /^PA, approved, transferred: transfer Task is error, not completed$/m,
    /^PA, approved, transferred: transfer at the pharmacy is absent, not completed$/m,
    /^BV of three drugs: Examplumab 10 mg: coverage is not_covered, not covered$/m,
    /^BV of three drugs: Examplumab 10 mg: PA requirement is no, not yes$/m,
    /^BV of three drugs: Placebomycin 250 mg: copay is \$0\.00, not \$\d+\.00$/m,
    /^BV of three drugs: Placebomycin 250 mg: copays by supply is 30 days: 1 cents, not 30 days: \d+ cents, 90 days: \d+ cents$/m,
    /^BV of three drugs: 12345-6789-01: drug is 00000-0000-00, not 12345-6789-01$/m,
  ])
    expect(output).toMatch(difference)
  expect(output).toMatch(/^PA, cancelled .* yes$/m)
})

it('the demo prints one line a case where it is not asked for more', async () => {
  const { output, exited } = demo('--seed', '6')
  expect(await exited, output()).toBe(0)
  const lines = output().trim().split('\n')
  expect(lines.filter((line) => /^(PA, |BV of ).* yes$/.test(line))).toHaveLength(6)
  expect(lines.length, output()).toBeLessThan(13)
})

it('the demo explains its options and refuses unknown ones', async () => {
  const help = demo('--help')
  expect(await help.exited).toBe(0)
  expect(help.output()).toContain('--keep')
  const wrong = demo('--seed', 'abc')
  expect(await wrong.exited).toBe(2)
  expect(wrong.output()).toContain('whole number')
})
