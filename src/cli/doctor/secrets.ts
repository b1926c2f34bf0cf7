import { z } from 'zod'
import { type Schemas, settingsMarked } from '../../settings/environment.ts'
import { isForks } from '../../settings/parse-settings.ts'
import { parseJson } from '@pawl/base/parse-json'

/** A secret among the settings, and the settings that hold it. */
export interface Secret {
  /** The setting; settings of one server or list share it. */
  setting: string
  value: string
}

type Env = Record<string, string | undefined>

const secretName = /TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE/

const text = z.string().default('')
const Entries = z.record(z.string(), z.looseObject({ url: text, secret: text, key: text }))

/** Every secret in the settings, invalid ones included: marked settings, a fork's settings with telling names, and passwords in addresses. */
export function readSecrets(env: Env, schemas: Schemas): Secret[] {
  const names = Object.keys(schemas)
  const single = [
    ...settingsMarked(schemas, 'secret', 'own'),
    ...settingsMarked(schemas, 'secret', 'issued'),
    ...names.filter((name) => isForks(name, schemas) && secretName.test(name)),
  ]
  const found = [
    ...settingsMarked(schemas, 'secret', 'list').flatMap((setting) =>
      partsOf(schemas[setting], env[setting] ?? '').map((value) => ({ setting, value })),
    ),
    ...single.map((setting) => ({ setting, value: env[setting]?.trim() ?? '' })),
    ...headerValues(env.OTEL_EXPORTER_OTLP_HEADERS ?? '').map((value) => ({
      setting: 'OTEL_EXPORTER_OTLP_HEADERS',
      value,
    })),
    ...settingsMarked(schemas, 'secret', 'entries').flatMap((setting) => readEntries(setting, env[setting] ?? '')),
    ...names.flatMap((setting) => passwordsIn(env[setting] ?? '').map((value) => ({ setting, value }))),
  ]
  return found.filter(({ value }) => value !== '')
}

function partsOf(schema: z.ZodType | undefined, text: string): string[] {
  // A setting may allow a comma within a secret.
  const parsed = schema?.safeParse(text).data
  return Array.isArray(parsed) ? parsed.map(String) : text.split(',').map((part) => part.trim())
}

/** Text that does not parse counts as secret as a whole. */
function readEntries(setting: string, text: string): Secret[] {
  const entries = Entries.safeParse(parseJson(text)).data
  if (entries === undefined) return [{ setting, value: text }]
  return Object.entries(entries).flatMap(([name, { url, secret, key }]) =>
    [...`${secret},${key}`.split(',').map((part) => part.trim()), ...passwordsIn(url)].map((value) => ({
      setting: `${setting} (${name})`,
      value,
    })),
  )
}

/** The values of `name=value` pairs, raw and decoded: one may be the collector's key. */
function headerValues(text: string): string[] {
  const values = text.split(',').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
  return [...new Set(values.flatMap((value) => [decode(value), value]))]
}

/** The password of an address, raw and decoded. */
function passwordsIn(address: string): string[] {
  const password = URL.canParse(address) ? new URL(address).password : ''
  return password === '' ? [] : [...new Set([decode(password), password])]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
