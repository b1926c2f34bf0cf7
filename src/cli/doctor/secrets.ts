import { z } from 'zod'
import { Environment, type Settings, settingsMarked } from '../../settings/environment.ts'
import { parseJson } from '@pawl/base/parse-json'

/** A secret among the settings, and the settings that hold it. */
export interface Secret {
  /** The setting; settings of one server or list share it. */
  setting: string
  value: string
}

type Env = Record<string, string | undefined>

const secretName = /TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE/

const Routes = z.record(z.string(), z.looseObject({ url: z.string().optional(), secret: z.string().optional() }))

const Readers = z.record(z.string(), z.looseObject({ key: z.string() }))

/** Every secret of the settings, invalid ones included: pawl's own, those of the integration (`ownNames`) with telling names, and passwords in addresses. */
export function readSecrets(env: Env, ownNames: readonly string[] = []): Secret[] {
  const single = [
    ...settingsMarked('secret', 'own'),
    ...settingsMarked('secret', 'issued'),
    ...ownNames.filter((name) => secretName.test(name)),
  ]
  const found = [
    ...settingsMarked('secret', 'list').flatMap((setting) =>
      partsOf(setting, env[setting] ?? '').map((value) => ({ setting, value })),
    ),
    ...single.map((setting) => ({ setting, value: env[setting]?.trim() ?? '' })),
    ...headerValues(env.OTEL_EXPORTER_OTLP_HEADERS ?? '').map((value) => ({
      setting: 'OTEL_EXPORTER_OTLP_HEADERS',
      value,
    })),
    ...readRoutes(env.PHARMACY_ROUTES ?? ''),
    ...readFeedKeys(env.PHARMACY_FEED_KEYS ?? ''),
    ...[...Object.keys(Environment.shape), ...ownNames].flatMap((setting) =>
      passwordsIn(env[setting] ?? '').map((value) => ({ setting, value })),
    ),
  ]
  return found.filter(({ value }) => value !== '')
}

function partsOf(setting: keyof Settings, text: string): string[] {
  // A setting may allow a comma within a secret.
  const parsed = Environment.shape[setting].safeParse(text).data
  return Array.isArray(parsed) ? parsed.map(String) : text.split(',').map((part) => part.trim())
}

/** Text that cannot be read is secret as a whole. */
function readFeedKeys(text: string): Secret[] {
  const setting = 'PHARMACY_FEED_KEYS'
  const readers = Readers.safeParse(parseJson(text)).data
  if (readers === undefined) return [{ setting, value: text }]
  return Object.entries(readers).flatMap(([name, { key }]) =>
    key.split(',').map((part) => ({ setting: `${setting} (${name})`, value: part.trim() })),
  )
}

function readRoutes(text: string): Secret[] {
  const routes = Object.entries(Routes.safeParse(parseJson(text)).data ?? {})
  return routes.flatMap(([ncpdpId, { url, secret }]) => {
    const setting = `PHARMACY_ROUTES (${ncpdpId})`
    const values = [...(secret ?? '').split(',').map((part) => part.trim()), ...passwordsIn(url ?? '')]
    return values.map((value) => ({ setting, value }))
  })
}

/** Values of `name=value` pairs, raw and decoded: one may be a key of the collector's. */
function headerValues(text: string): string[] {
  const values = text.split(',').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
  return [...new Set(values.flatMap((value) => [decode(value), value]))]
}

/** The secret, raw and decoded. */
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
