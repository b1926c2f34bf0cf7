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

function examineAddresses(config: Config): Finding[] {
  const findings: Finding[] = []
  for (const [name, address] of addressesMarked(config, 'isBase'))
    if (/[?#]/.test(address))
      findings.push(fail(area, `${name} has a query or a fragment.`, `End ${name} before the ? or #.`))
  for (const [name, address] of config.isProduction ? addressesMarked(config, 'isOutward') : []) {
    const { protocol, hostname } = new URL(address)
    const todo = encryptedBy[protocol]
    if (todo !== undefined && !isThisMachine(hostname)) findings.push(warn(area, `${name} is not encrypted.`, todo))
  }
  return findings
}

/** The remedy for each protocol that is not encrypted. */
const encryptedBy: Readonly<Record<string, string>> = {
  'http:': 'Use https://.',
  'mllp:': 'Use mllps://, or a VPN that ends at the listener.',
}
