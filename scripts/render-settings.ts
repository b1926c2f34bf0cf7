import type { z } from 'zod'
import { profileNames } from '../packages/ehr/src/fhir/profiles/profile.ts'
import { demandRows } from './render-demands.ts'
import { ehrSettings } from '../packages/ehr/src/index.ts'
import { pharmacySettings } from '../packages/pharmacy/src/index.ts'
import { Environment } from '../src/settings/environment.ts'

/** Settings of pawl and of its connectors, by name. */
export const schemas: Readonly<Record<string, z.ZodType>> = {
  ...Environment.shape,
  ...ehrSettings,
  ...pharmacySettings,
}

const head = `# Settings of pawl: copy this file to .env and fill in the settings that you need. npm run dev needs none: it supplies missing values for its own run, and starts a service, a chart and a pharmacy if none is named here.
# A line that begins with # shows the default. An empty setting counts as absent. Quote a value that contains a #.
`

/** Headings of sections, by the first setting of each. */
const headings: Readonly<Record<string, string>> = {
  NODE_ENV: 'Process',
  HOST: 'Receiving webhooks',
  ADMIN_HOST: 'Admin listener: readiness, metrics, parked work',
  API_BASE_URL: 'The service',
  RETENTION_DAYS: 'Storage',
  CONCURRENCY: 'Working',
  FHIR_BASE_URL: 'EHR',
  PHARMACY_URL: 'Pharmacy',
  ALERT_URL: 'Alerts',
  STAFF_TEAMS: 'What waits for staff',
}

/** The text of .env.example. */
export function renderEnvExample(): string {
  const settings = Object.keys(schemas).map((name) => {
    const heading = headings[name] === undefined ? '' : `\n# ${headings[name]}\n\n`
    const fallback = defaultOf(name)
    return `${heading}# ${descriptionOf(name)}\n${fallback === undefined ? `${name}=` : `#${name}=${fallback}`}\n`
  })
  return head + settings.join('')
}

/** Fills in a document's tables of settings, whose head is `setting`, `default`, `meaning`, those of a chart's demands, whose head is `demand of epic`, `value`, `source, looked up`, and its defaults in the form `` `RETENTION_DAYS` (30) ``. */
export function fillDocument(page: string): string {
  return page
    .replaceAll(/^\| setting +\| default +\| meaning +\|\n\|[-| ]+\|\n((?:\|.*\|\n)+)/gm, (_, rows: string) =>
      tableOf([...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name)),
    )
    .replaceAll(
      /^\| demand of (\S+) +\| value +\| source, looked up +\|\n\|[-| ]+\|\n(?:\|.*\|\n)*/gm,
      (table, named: string) => {
        const name = profileNames.find((each) => each === named)
        return name === undefined
          ? table
          : aligned([`demand of ${name}`, 'value', 'source, looked up'], demandRows(name))
      },
    )
    .replaceAll(/`([A-Z0-9_]+)` \(\d+\)/g, (_, name: string) => `\`${name}\` (${defaultOf(name) ?? 'none'})`)
}

function tableOf(names: readonly string[]): string {
  const rows = names.map((name) => {
    const fallback = defaultOf(name)
    return [`\`${name}\``, fallback === undefined ? '' : `\`${fallback}\``, descriptionOf(name).replaceAll('|', '\\|')]
  })
  return aligned(['setting', 'default', 'meaning'], rows)
}

/** Aligned as by prettier. */
function aligned(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = titles.map((title, at) => {
    const width = Math.max(...[title, ...rows.map((row) => row[at] ?? '')].map((cell) => cell.length))
    return [title, '-'.repeat(width), ...rows.map((row) => row[at] ?? '')].map((cell) => cell.padEnd(width))
  })
  const [first = []] = columns
  return first.map((_, row) => `| ${columns.map((cells) => cells[row]).join(' | ')} |\n`).join('')
}

function descriptionOf(name: string): string {
  return schemaOf(name).description ?? ''
}

/** The default as text in an environment; undefined if the setting is absent by default. */
function defaultOf(name: string): string | undefined {
  const { data } = schemaOf(name).safeParse(undefined)
  if (data === undefined || typeof data === 'string') return data
  return Array.isArray(data) ? data.join(',') : JSON.stringify(data)
}

function schemaOf(name: string): z.ZodType {
  const schema = schemas[name]
  if (schema === undefined) throw new TypeError(`${name} is not a setting of pawl.`)
  return schema
}
