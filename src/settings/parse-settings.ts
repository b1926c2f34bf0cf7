import type { z } from 'zod'
import { checkAlerts } from '@pawl/console/alerts/settings'
import { ConfigInvalid } from '@pawl/base/errors'
import { findMissing } from '@pawl/base/optional-packages'
import type { GivenSettings } from '@pawl/base/setting-types'
import { checkTracing } from '@pawl/base/tracing/settings'
import { checkFhir } from '@pawl/ehr/fhir/settings'
import { checkHl7 } from '@pawl/ehr/hl7/settings'
import { checkPharmacy } from '@pawl/pharmacy/settings'
import { checkConsole } from '@pawl/console/settings'
import { checkLedgerSettings } from '@pawl/ledger/settings'
import { Environment, type Settings } from './environment.ts'

/** Drops empty settings, which count as absent. */
export function withoutEmpty(env: Record<string, string | undefined>): Record<string, string> {
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) if (value !== undefined && value.trim() !== '') given[name] = value
  return given
}

/** All faults at once, each with the name of its setting, never its value. */
export function findFaults(
  schema: z.ZodType,
  given: Record<string, string>,
  findMore: (given: Record<string, string>) => string[] = () => [],
): string[] {
  const issues = schema.safeParse(given).error?.issues ?? []
  return [...issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`), ...findMore(given)]
}

/** The name of the faulty setting. */
export function settingAtFault(fault: string): string {
  return /^\w+/.exec(fault)?.[0] ?? ''
}

/** Parses the settings of a schema. Throws `ConfigInvalid`. */
export function parseSettings<T extends z.ZodType>(
  schema: T,
  env: Record<string, string | undefined>,
  findMore?: (given: Record<string, string>) => string[],
): z.infer<T> {
  const given = withoutEmpty(env)
  const faults = findFaults(schema, given, findMore)
  if (faults.length === 0) return schema.parse(given)
  const isOwn = faults.some((fault) => !(settingAtFault(fault) in Environment.shape))
  const examples = isOwn ? '.env.example and src/integration/.env.example' : '.env.example'
  throw new ConfigInvalid(`Fix these settings (see ${examples}):\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
}

const systemChecks = [checkPharmacy, checkFhir, checkHl7]

/** Faults across several settings; `checks`: which rooms judge. */
export function faultsBetween(
  given: Readonly<Partial<Record<keyof Settings, string>>>,
  checks = [checkRole, ...systemChecks, checkAlerts, checkTracing, checkLedgerSettings, checkConsole],
): string[] {
  const faults: string[] = []
  const all: GivenSettings<keyof Settings> = {
    given,
    needed(name, why) {
      if (given[name] === undefined) faults.push(`${name}: is missing; ${why}`)
    },
    installed(name, packages) {
      const missing = findMissing(name, packages)
      if (missing !== undefined) faults.push(missing)
    },
    fault: (text) => faults.push(text),
  }
  for (const check of checks) check(all)
  return faults
}

/** Faults across several settings of systems. */
export const faultsBetweenSystems = (given: Parameters<typeof faultsBetween>[0]) => faultsBetween(given, systemChecks)

function checkRole({ given, needed }: GivenSettings<keyof Settings>): void {
  if (given.ROLE !== 'worker') needed('WEBHOOK_SECRETS', 'without it no delivery can be verified')
  if (given.ROLE === 'receiver') return
  needed('API_BASE_URL', 'a worker reads resources from the service')
  needed('API_TOKEN', 'the service answers only with a token')
}
