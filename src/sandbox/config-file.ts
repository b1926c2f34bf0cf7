import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { policyNames } from '../service/schemas/rate-policies.ts'
import type { OrganizationSettings } from './access/organizations.ts'
import { describeIssue } from './platform/describe-issue.ts'
import type { SandboxOptions } from './options.ts'
import { compact } from './platform/wire.ts'
import { answeringFaults, presetNames, sendingFaults } from './platform/chaos-settings.ts'
import { eventTypes } from './webhooks/settings.ts'

const text = z.string().min(1)
const chance = z.number().min(0).max(1)
const count = z.int().nonnegative()

const Webhook = z.strictObject({
  name: text.default('default'),
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  secret: text,
  events: z.union([z.literal('all'), z.array(z.enum(eventTypes))]).optional(),
  enabled: z.boolean().optional(),
  body_digest: z.boolean().optional(),
})

const Organization = z.strictObject({
  id: text,
  workflow: z.enum(['delegated', 'non_delegated']).optional(),
  manual_review: z.boolean().optional(),
  api_access: z.boolean().optional(),
  pharmacy: z.boolean().optional(),
  requires_provider_authorization: z.boolean().optional(),
  daily_prior_auth_limit: count.optional(),
  daily_new_plan_limit: count.optional(),
  quotas: z.partialRecord(z.enum(policyNames), count).optional(),
  webhooks: z.array(Webhook).optional(),
})

/** Start options of a sandbox; a command-line flag overrides its field. */
const ConfigFile = z.strictObject({
  /** For editors. */
  $schema: text.optional(),
  port: z.int().min(0).max(65_535).optional(),
  host: text.optional(),
  host_names: z.array(text).optional(),
  speed: z.number().nonnegative().optional(),
  seed: count.max(2 ** 31).optional(),
  data: text.optional(),
  allow_private_file_urls: z.boolean().optional(),
  chaos: z
    .union([
      z.enum(presetNames),
      z.strictObject({
        sending: z.partialRecord(z.enum(sendingFaults), chance).optional(),
        answering: z.partialRecord(z.enum(answeringFaults), chance).optional(),
      }),
    ])
    .optional(),
  organizations: z.array(Organization).min(1).optional(),
})

/** Content of a config file. */
export interface FileConfig {
  port?: number
  host?: string
  options: SandboxOptions
}

/** Reads a file of `--config`; throws one error with every fault, its position and the legal values. */
export function readConfigFile(file: string): FileConfig {
  const parsed = ConfigFile.safeParse(readJson(file))
  if (!parsed.success) throw new Error(parsed.error.issues.map((issue) => `${file}: ${told(issue)}`).join('\n'))
  const { port, host, speed, seed, data, chaos, organizations } = parsed.data
  const { allow_private_file_urls, host_names } = parsed.data
  const twice = repeated(organizations?.map(({ id }) => id) ?? [])
  if (twice !== undefined) throw new Error(`${file}: organizations: ${twice} is listed twice.`)
  return compact({
    port,
    host,
    options: compact({
      speed,
      seed,
      data,
      chaos: typeof chaos === 'object' ? compact(chaos) : chaos,
      allowPrivateFileUrls: allow_private_file_urls,
      hostNames: host_names,
      organizations: organizations?.map(settingsOf),
    }),
  })
}

function settingsOf(given: z.infer<typeof Organization>): OrganizationSettings {
  return {
    id: given.id,
    ...compact({
      workflow: given.workflow,
      manualReview: given.manual_review,
      apiAccess: given.api_access,
      pharmacy: given.pharmacy,
      requiresProviderAuthorization: given.requires_provider_authorization,
      dailyPriorAuthLimit: given.daily_prior_auth_limit,
      dailyNewPlanLimit: given.daily_new_plan_limit,
      quotas: given.quotas && compact(given.quotas),
      webhooks: given.webhooks?.map(({ body_digest: bodyDigest, ...webhook }) => compact({ ...webhook, bodyDigest })),
    }),
  }
}

function readJson(file: string): unknown {
  let content: string
  try {
    content = readFileSync(file, 'utf8')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw new Error(`${file} ${isMissing ? 'does not exist' : 'cannot be read'}.`, { cause: error })
  }
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : 'unreadable'}.`, { cause: error })
  }
}

function repeated(ids: readonly string[]): string | undefined {
  return ids.find((id, index) => ids.indexOf(id) !== index)
}

function told(issue: z.core.$ZodIssue): string {
  const place = issue.path.join('.')
  return `${place === '' ? '' : `${place}: `}${describeIssue(issue, legalAt(issue.path))}`
}

/** Legal fields of the object at a path; a number in the path stands for any entry. */
function legalAt(path: readonly PropertyKey[]): string[] | undefined {
  switch (path.filter((part) => typeof part !== 'number').join('.')) {
    case '':
      return Object.keys(ConfigFile.shape).filter((key) => key !== '$schema')
    case 'organizations':
      return Object.keys(Organization.shape)
    case 'organizations.quotas':
      return [...policyNames]
    case 'chaos.sending':
      return [...sendingFaults]
    case 'chaos.answering':
      return [...answeringFaults]
    case 'organizations.webhooks':
      return Object.keys(Webhook.shape)
    default:
      return undefined
  }
}
