import { settingAtFault } from '../../settings/parse-settings.ts'
import type { Config, InspectedConfig } from '../../settings/read-config.ts'
import { warningsFor } from '../../settings/warnings.ts'
import { fail, type Finding, ok, warn } from './finding.ts'

const area = 'settings'

/** The time that connectors give a write, in milliseconds. */
const writeMs = 15_000
/** A claim is renewed each time that a third of the lease is over, so a write may find two thirds left. */
const minLeaseMs = writeMs * 1.5

/** What is appended to, so that a query or fragment would swallow it. */
const bases = ['API_BASE_URL', 'ENROLLMENT_BASE_URL', 'FHIR_BASE_URL', 'FHIR_IDENTIFIER_BASE'] as const
/** Where tokens and patients' data are sent. */
const carriers = ['API_BASE_URL', 'ENROLLMENT_BASE_URL', 'FHIR_BASE_URL', 'FHIR_TOKEN_URL'] as const
const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Looks at the settings alone: what is wrong, and what is allowed but hardly meant. */
export function examineSettings({ config, faults }: InspectedConfig): Finding[] {
  const findings = [
    ...faults.map((fault) => {
      const setting = settingAtFault(fault)
      return fail(area, `${fault}.`, `Correct ${setting}: .env.example says what it is for.`)
    }),
    ...warningsFor(config).map(({ says, todo }) => warn(area, `${says}.`, todo)),
    ...examineTimes(config),
    ...examineAddresses(config),
  ]
  return findings.length > 0 ? findings : [ok(area, 'All fit.')]
}

function examineTimes({ leaseMs, retry, role }: Config): Finding[] {
  const findings: Finding[] = []
  if (role !== 'receiver' && leaseMs < minLeaseMs)
    findings.push(
      warn(
        area,
        `LEASE_MS is short: slow writes are cut off before the ${writeMs / 1_000} seconds that they may take, and a busy process may lose its claims.`,
        `Set it to ${minLeaseMs} or more, or take it out.`,
      ),
    )
  if (retry.maxMs < retry.baseMs)
    findings.push(
      warn(
        area,
        'RETRY_MAX_MS is below RETRY_BASE_MS, so that waits never grow.',
        'Set RETRY_MAX_MS to many times RETRY_BASE_MS, or take both out.',
      ),
    )
  return findings
}

function examineAddresses({ settings, isProduction }: Config): Finding[] {
  const findings: Finding[] = []
  if (settings.FHIR_TOKEN !== undefined && settings.FHIR_BASE_URL === undefined)
    findings.push(
      warn(area, 'FHIR_TOKEN is set, but FHIR_BASE_URL is not: no chart is written to.', 'Set FHIR_BASE_URL, too.'),
    )
  for (const name of bases) {
    const address = settings[name]
    if (address !== undefined && /[?#]/.test(address))
      findings.push(
        fail(
          area,
          `${name} has a query or a fragment, and paths are appended to it.`,
          `End ${name} before the ? or #.`,
        ),
      )
  }
  for (const name of carriers) {
    const address = settings[name]
    if (isProduction && address !== undefined && isOpenToEavesdroppers(new URL(address)))
      findings.push(
        warn(area, `${name} is not encrypted: tokens and patients' data can be read on the way.`, 'Use https://.'),
      )
  }
  return findings
}

function isOpenToEavesdroppers({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !loopback.has(hostname)
}
