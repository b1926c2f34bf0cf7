import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { checkAlerts } from '@pawl/console/alerts/settings'
import { ConfigInvalid } from '@pawl/base/errors'
import { findMissing } from '@pawl/base/optional-packages'
import { workFolder } from '@pawl/base/project-folder'
import type { GivenSettings } from '@pawl/base/setting-types'
import { checkTracing } from '@pawl/base/tracing/settings'
import { connectorOf, connectorsAmong } from '@pawl/connector/connector-settings'
import { checkStaff } from '@pawl/console/staff/staff-settings'
import { checkConsole } from '@pawl/console/settings'
import { checkLedgerSettings } from '@pawl/ledger/settings'
import { Environment, type Schemas, type Settings } from './environment.ts'

/** Drops empty settings, which count as absent. */
export function withoutEmpty(env: Record<string, string | undefined>): Record<string, string> {
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) if (value !== undefined && value.trim() !== '') given[name] = value
  return given
}

/** Faults across several settings. */
type FindMore = (given: Record<string, string>) => string[]

/** All faults at once, each with the name of its setting, never its value. */
export function findFaults(schema: z.ZodType, given: Record<string, string>, findMore: FindMore = () => []): string[] {
  const issues = schema.safeParse(given).error?.issues ?? []
  return [...issues.map((issue) => `${issue.path.join('.')}: ${wordsFor(issue)}`), ...findMore(given)]
}

/** Zod would call a text that is no number `NaN`, which its reader never typed. */
function wordsFor({ code, message, ...issue }: z.core.$ZodIssue): string {
  return code === 'invalid_type' && 'expected' in issue && issue.expected === 'number' && message.endsWith('NaN')
    ? 'must be a number'
    : message
}

/** The name of the faulty setting. */
export function settingAtFault(fault: string): string {
  return /^\w+/.exec(fault)?.[0] ?? ''
}

/** Whether a fork declares this setting, rather than pawl or a connector. */
export function isForks(name: string, schemas: Schemas): boolean {
  return !(name in Environment.shape) && connectorOf(schemas[name]) === undefined
}

/** Parses the settings of a schema. Throws `ConfigInvalid`. */
export function parseSettings<T extends z.ZodObject>(
  schema: T,
  env: Record<string, string | undefined>,
  findMore?: FindMore,
): z.infer<T> {
  const given = withoutEmpty(env)
  const faults = findFaults(schema, given, findMore)
  if (faults.length === 0) return schema.parse(given)
  const isOwn = faults.some((fault) => isForks(settingAtFault(fault), schema.shape))
  // A project has one file for all settings.
  const hasOwnExample = isOwn && existsSync(join(workFolder(), 'src/integration/.env.example'))
  const examples = hasOwnExample ? '.env.example and src/integration/.env.example' : '.env.example'
  throw new ConfigInvalid(`Fix these settings (see ${examples}):\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
}

/** Faults across several settings, those of the integration (`own`) included. */
export const faultsBetween = (own: Schemas) =>
  findBetween([checkRole, ...checksOf(own), checkAlerts, checkStaff, checkTracing, checkLedgerSettings, checkConsole])

/** Faults across several settings of the integration. */
export const faultsBetweenOwn = (own: Schemas) => findBetween(checksOf(own))

const checksOf = (own: Schemas) => connectorsAmong(own).flatMap(({ check }) => check ?? [])

function findBetween(checks: readonly ((given: GivenSettings<string>) => void)[]): FindMore {
  return (given) => {
    const faults: string[] = []
    for (const check of checks)
      check({
        given,
        needed(name, why) {
          if (given[name] === undefined) faults.push(`${name}: is missing; ${why}`)
        },
        installed(name, packages) {
          const missing = findMissing(name, packages)
          if (missing !== undefined) faults.push(missing)
        },
        fault: (text) => faults.push(text),
      })
    return faults
  }
}

function checkRole({ given, needed }: GivenSettings<keyof Settings>): void {
  if (given.ROLE !== 'worker') needed('WEBHOOK_SECRETS', 'without it no delivery can be verified')
  if (given.ROLE === 'receiver') return
  needed('API_BASE_URL', 'a worker reads resources from the service')
  needed('API_TOKEN', 'the service answers only with a token')
}
