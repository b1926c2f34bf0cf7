import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { OrganizationRequest } from './access/organization-request.ts'
import { describeIssue } from './platform/describe-issue.ts'
import type { SandboxOptions } from './options.ts'
import { fieldsAt } from './platform/read-control.ts'
import { compact, fromWire } from './platform/wire.ts'
import { ChaosSettings, presetNames } from './platform/chaos-settings.ts'
import { eventTypes, WebhookRequest } from './webhooks/settings.ts'

const text = z.string().min(1)
const seed = z.int().min(0).max(2_147_483_648)

const Webhook = WebhookRequest.extend({
  name: text.default('default'),
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  secret: text,
  events: z.union([z.literal('all'), z.array(z.enum(eventTypes))]).optional(),
})

const Organization = OrganizationRequest.extend({ id: text, webhooks: z.array(Webhook).optional() })

/** Start options of a sandbox; a command-line flag overrides its field. */
const ConfigFile = z.strictObject({
  /** For editors. */
  $schema: text.optional(),
  port: z.int().min(0).max(65_535).optional(),
  host: text.optional(),
  host_names: z.array(text).optional(),
  speed: z.number().nonnegative().optional(),
  seed: seed.optional(),
  data: text.optional(),
  allow_private_file_urls: z.boolean().optional(),
  chaos: z.union([z.enum(presetNames), ChaosSettings]).optional(),
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
      chaos,
      allowPrivateFileUrls: allow_private_file_urls,
      hostNames: host_names,
      organizations: organizations && fromWire(organizations),
    }),
  })
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
  const legal = fieldsAt(ConfigFile, issue.path.map(String)).filter((name) => name !== '$schema')
  return `${place === '' ? '' : `${place}: `}${describeIssue(issue, legal)}`
}
