import { isThisMachine } from '@pawl/base/net/public-address'
import { addressesMarked } from '../../settings/environment.ts'
import { settingAtFault } from '../../settings/parse-settings.ts'
import type { Config, InspectedConfig } from '../../settings/read-config.ts'
import { warningsFor } from '../../settings/warnings.ts'
import { fail, type Finding, ok, warn } from './finding.ts'

const area = 'settings'

/** Timeout of a connector's write, in milliseconds. */
const writeMs = 15_000
/** A lease is renewed after each third, so a write may start with two thirds left. */
const minLeaseMs = writeMs * 1.5

/** Checks the settings alone: invalid values, and valid but unlikely ones. */
export function examineSettings({ config, faults }: InspectedConfig): Finding[] {
  const findings = [
    ...faults.map((fault) => {
      const setting = settingAtFault(fault)
      return fail(area, `${fault}.`, `Correct ${setting}: see .env.example.`)
    }),
    ...warningsFor(config).map(({ says, todo }) => warn(area, `${says}.`, todo)),
    ...examineTimes(config),
    ...examineAddresses(config),
  ]
  return findings.length > 0 ? findings : [ok(area, 'All are valid.')]
}

function examineTimes({ leaseMs, retry, role }: Config): Finding[] {
  const findings: Finding[] = []
  if (role !== 'receiver' && leaseMs < minLeaseMs)
    findings.push(
      warn(area, 'LEASE_MS is too short for slow writes.', `Set it to ${minLeaseMs} or more, or remove it.`),
    )
  if (retry.maxMs < retry.baseMs)
    findings.push(
      warn(area, 'RETRY_MAX_MS is below RETRY_BASE_MS.', 'Set RETRY_MAX_MS many times as high, or remove both.'),
    )
  return findings
}

function examineAddresses({ settings, isProduction }: Config): Finding[] {
  const findings: Finding[] = []
  if (settings.FHIR_TOKEN !== undefined && settings.FHIR_BASE_URL === undefined)
    findings.push(warn(area, 'FHIR_TOKEN is set, but FHIR_BASE_URL is not.', 'Set FHIR_BASE_URL, too.'))
  for (const [name, address] of addressesMarked(settings, 'isBase'))
    if (/[?#]/.test(address))
      findings.push(fail(area, `${name} has a query or a fragment.`, `End ${name} before the ? or #.`))
  for (const [name, address] of addressesMarked(settings, 'isOutward'))
    if (isProduction && isOpenToEavesdroppers(new URL(address)))
      findings.push(
        warn(
          area,
          `${name} is not encrypted.`,
          name === 'EHR_URL' ? 'Use mllps://, or a VPN that ends at the listener.' : 'Use https://.',
        ),
      )
  return findings
}

function isOpenToEavesdroppers({ protocol, hostname }: URL): boolean {
  return (protocol === 'http:' || protocol === 'mllp:') && !isThisMachine(hostname)
}
