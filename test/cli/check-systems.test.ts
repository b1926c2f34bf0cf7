import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fhirEhr } from '@pawl/ehr'
import { checkSystems } from '../../src/cli/check-systems.ts'
import { type FhirServer, startFhirServer } from '../../packages/testing/src/services/fhir-server.ts'
import { patient } from '../../packages/sandbox/src/sample-requests.ts'
import type { System } from '../../packages/connector/src/system.ts'
import { startFarSide } from '../../packages/testing/src/far-side.ts'
import { freePort } from '../support/spawn-pawl.ts'
import { testEnvironment } from '../support/start-local-gateway.ts'
import { runPawl } from '../support/run-script.ts'

let fhir: FhirServer
beforeAll(async () => {
  fhir = await startFhirServer()
})
afterAll(() => fhir.close())

const ehrAt = (FHIR_BASE_URL: string) =>
  fhirEhr({ NODE_ENV: 'production', FHIR_BASE_URL, FHIR_IDENTIFIER_BASE: 'https://pawl.example/ids' })
const open = () => ({})

async function check(systems: Record<string, System<object>>, options: Parameters<typeof checkSystems>[2] = {}) {
  const lines: string[] = []
  const isFine = await checkSystems(systems, (line) => void lines.push(line), options)
  return { isFine, lines }
}

describe('the check of the systems', () => {
  it('is content with a FHIR R4 server', async () => {
    const { isFine, lines } = await check({ ehr: ehrAt(fhir.url) })
    expect(isFine).toBe(true)
    expect(lines[0]).toBe('ehr        ok   FHIR server of the demo, FHIR 4.0.1.')
    expect(lines).toContain(
      'ehr        ok   Task: created and updated by its identifier (conditional update), since the server takes updates by identifier.',
    )
  })

  it('says FAIL before what failed, and ok before all else that was found of the same system', async () => {
    fhir.failNext(403, { of: 'GET Task' })
    const { isFine, lines } = await check({ ehr: ehrAt(fhir.url) }, { sample: { patient: patient.internal_id } })
    expect(isFine).toBe(false)
    expect(lines.filter((line) => !line.startsWith('ehr        ok   '))).toEqual([
      expect.stringMatching(/^ehr {8}FAIL Task: the credentials lack a right/),
    ])
    expect(lines).toContain('ehr        ok   FHIR server of the demo, FHIR 4.0.1.')
  })

  it('is one JSON object where that is asked for', async () => {
    const lines: string[] = []
    await checkSystems({ desk: { open } }, (line) => void lines.push(line), { json: true })
    expect(JSON.parse(lines.join('\n'))).toEqual({
      ok: true,
      systems: [{ system: 'desk', ok: true, findings: ['It has no check.'], faults: [] }],
    })
  })

  it('names a wrong address, whether no server answers there or another one', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}/fhir`
    const { isFine, lines } = await check({ ehr: ehrAt(nobody) })
    expect(isFine).toBe(false)
    expect(lines).toEqual([
      expect.stringMatching(/^ehr +FAIL FHIR_BASE_URL does not answer: read metadata: no connection /),
    ])
    const other = await startFarSide(() => ({ status: 200, body: '<p>Welcome' }))
    expect(await check({ ehr: ehrAt(other.url) })).toEqual({
      isFine: false,
      lines: ['ehr        FAIL The server at FHIR_BASE_URL is not a FHIR server.'],
    })
    await other.close()
  })

  it('says so of a system without a check, or what its notice says', async () => {
    const systems = { billing: { open }, desk: { open, notice: 'DESK_URL is not set' } }
    expect(await check(systems)).toEqual({
      isFine: true,
      lines: ['billing    ok   It has no check.', 'desk       ok   DESK_URL is not set'],
    })
  })

  it('goes on after a check that throws or never returns, gives each its own time, and closes all of them', async () => {
    const closed: string[] = []
    const systemOf = (name: string, checkOne: (signal: AbortSignal) => Promise<never>) => ({
      open,
      check: checkOne,
      close: async () => void closed.push(name),
    })
    const systems = {
      throwing: systemOf('throwing', () =>
        Promise.reject(new TypeError('Testa', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) })),
      ),
      hanging: systemOf('hanging', () => new Promise<never>(() => {})),
      stubborn: {
        open,
        close: () => Promise.reject(new Error('cannot be closed')),
      },
      late: {
        ...systemOf('late', () => Promise.reject(new Error('replaced below'))),
        check: async (signal: AbortSignal) => ({ ok: !signal.aborted, findings: ['It had time of its own.'] }),
      },
    }
    const { isFine, lines } = await check(systems, { timeoutMs: 50 })
    expect(isFine).toBe(false)
    expect(lines).toEqual([
      expect.stringMatching(/^throwing +FAIL The check failed: ENOTFOUND: TypeError at check-systems\.test\.ts:\d+$/),
      'hanging    FAIL It did not answer within 0.05 s.',
      'stubborn   ok   It has no check.',
      'late       ok   It had time of its own.',
    ])
    expect(closed).toEqual(['throwing', 'hanging', 'late'])
  })
})

async function run(args: readonly string[], env: Record<string, string>) {
  const own = { DATABASE_URL: 'file:unused', NODE_ENV: 'production', SEALING: 'off' }
  return runPawl(args, await testEnvironment({ ...own, ...env }))
}

it('pawl ehr check exits 1 where a demand of the chart is not met, and 2 where --write has no test patient', async () => {
  const env = { FHIR_BASE_URL: fhir.url, FHIR_PROFILE: 'epic' }
  const unmet = await run(['ehr', 'check'], env)
  expect(unmet.code).toBe(1)
  expect(unmet.out).toMatch(/^ehr +FAIL DocumentReference: refused without an encounter: set FHIR_ENCOUNTER/m)
  const unnamed = await run(['ehr', 'check', '--write'], env)
  expect(unnamed).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('Name a test patient with --patient'),
  })
})

describe('pawl check', () => {
  const pawlCheck = (env: Record<string, string>) => run(['check'], env)

  /** A fork may have more systems. */
  const shipped = (output: string) => output.split('\n').filter((line) => /^(ehr|pharmacy) /.test(line))

  it('exits 0 when every system of the settings can be used', async () => {
    const PHARMACY_SECRET = `whsec_${Buffer.alloc(24).toString('base64')}`
    const pharmacy = await startFarSide(() => ({ status: 204 }))
    const { code, output } = await pawlCheck({ FHIR_BASE_URL: fhir.url, PHARMACY_URL: pharmacy.url, PHARMACY_SECRET })
    await pharmacy.close()
    expect(code).toBe(0)
    expect(shipped(output)).toContain('ehr        ok   FHIR server of the demo, FHIR 4.0.1.')
    expect(shipped(output)).toContain('pharmacy   ok   It took a signed test notice.')
  })

  it('exits 1 when one cannot, and 2 when the settings are wrong', async () => {
    const { code, output } = await pawlCheck({ FHIR_BASE_URL: fhir.url })
    expect(code).toBe(1)
    expect(shipped(output)).toContain('ehr        ok   FHIR server of the demo, FHIR 4.0.1.')
    expect(shipped(output)).toContain('pharmacy   FAIL PHARMACY_URL is not set.')
    const wrong = await pawlCheck({ FHIR_BASE_URL: 'nowhere' })
    expect(wrong.code).toBe(2)
    expect(wrong.output).toContain('FHIR_BASE_URL')
  })
})
