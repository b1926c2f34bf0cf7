import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startSandbox, startWebhook } from './play.ts'
import { routesBelow } from './routes-below.ts'
import { benefitVerification, clinicalQualification, ndpSubmission, paStatus, priorAuthorization } from './requests.ts'
import { policyNames } from '../../client/src/schemas/rate-policies.ts'
import { readCommandLine } from '../src/command-line.ts'
import { answeringFaults, presetNames, sendingFaults } from '../src/platform/chaos-settings.ts'
import { testValues } from '../src/platform/test-values.ts'
import { needs } from '../../../test/support/needs.ts'

const curl = needs('curl')

const document = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8')

/** Every control that the document shows a curl line for. */
const shown = [
  ...document.matchAll(/^curl (?:-X (\w+) )?['"]?http:\/\/127\.0\.0\.1:4000(\/_sandbox\/[^\s'"]+).*$/gm),
].map(([line, method = 'GET', path = '']) => ({ line, method, path }))

describe('docs/sandbox.md', () => {
  it('shows a curl line for every control, and no curl line without one', async () => {
    const { sandbox } = await startSandbox()
    const routes = routesBelow(sandbox, '/_sandbox').map((route) => route.replace(' ', ' /_sandbox'))
    expect(routes.length).toBeGreaterThan(20)
    const matches = (route: string) => {
      const [method, path = ''] = route.split(' ')
      const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}(\\?.*)?$`)
      return shown.filter((line) => line.method === method && pattern.test(line.path))
    }
    expect(routes.filter((route) => matches(route).length === 0)).toEqual([])
    const known = new Set(routes.flatMap(matches))
    expect(shown.filter((line) => !known.has(line))).toEqual([])
  })

  it.skipIf(curl === undefined)('has curl lines that work in a shell, one after the other', async () => {
    const { webhook } = await startWebhook()
    const { sandbox, create, call } = await startSandbox({ organizations: [{ id: 'org_demo', webhooks: [webhook] }] })
    const { url } = await sandbox.listen()
    await call('post', '/provider/authorize', { npi: '1234567893', first_name: 'Max', last_name: 'Muster' }).expect(200)
    sandbox.controls.putOrganization({ id: 'org_demo', workflow: 'non_delegated' })
    const [pa, reviewed, transferred] = await Promise.all(
      ['a', 'b', 'c'].map((rx) =>
        create(
          '/prior-authorization',
          priorAuthorization({ ndp_submission: { ...ndpSubmission, prescription_message_id: rx } }),
        ),
      ),
    )
    const [bv, verified, failing] = await Promise.all(
      [1, 2, 3].map(() => create('/benefit-verification', benefitVerification())),
    )
    const qualification = await create('/clinical-qualification', clinicalQualification())
    const check = await create('/pa-status', paStatus())
    for (const status of ['processing', 'awaiting_review']) sandbox.controls.push(reviewed ?? '', status)
    for (const status of ['processing', 'awaiting_outcome', 'completed'])
      sandbox.controls.push(transferred ?? '', status)
    sandbox.controls.push(pa ?? '', 'failed')
    // One PA has stale deliveries from the start, another is still to be pushed.
    let another = await create('/prior-authorization', priorAuthorization())
    const idOf = (line: string) => (line.includes('redeliver-stale') ? pa : another)
    const variables = {
      TOKEN: await sandbox.issueToken(),
      DELIVERY: '1',
      BV: bv,
      VERIFIED: verified,
      FAILING: failing,
      QUALIFICATION: qualification,
      CHECK: check,
      REVIEWED: reviewed,
      TRANSFERRED: transferred,
    }
    const folder = await mkdtemp(join(tmpdir(), 'pawl-curl-'))
    // curl ends with an error where the sandbox answers with one.
    await writeFile(join(folder, '.curlrc'), 'silent\nshow-error\nfail-with-body\n')
    for (const { line } of shown) {
      if (line.includes('"processing"')) another = await create('/prior-authorization', priorAuthorization())
      const env = { PATH: process.env.PATH, HOME: folder, PA: idOf(line), ...variables }
      const typed = line.replace('http://127.0.0.1:4000', url)
      const { stdout } = await promisify(execFile)('bash', ['-ec', typed], { env })
      expect(stdout, line).toMatch(/^\{"status":"success"/)
      if (line.includes('/deliveries?resource_id=')) expect(stdout).toContain(idOf(line))
    }
    await rm(folder, { recursive: true })
  })

  it('names every option, fault, preset, policy and test value', () => {
    let help = ''
    readCommandLine(['--help'], undefined, (text) => (help += text))
    const options = [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => `\`${option}`)
    expect(options.length).toBeGreaterThan(8)
    const names = [...sendingFaults, ...answeringFaults, ...presetNames, ...policyNames].map((name) => `\`${name}\``)
    const values = Object.values(testValues).flat()
    expect([...options, ...names, ...values].filter((one) => !document.includes(one))).toEqual([])
  })
})
