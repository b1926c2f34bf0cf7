import { z } from 'zod'
import { Environment } from '../../settings/environment.ts'
import { parseJson } from '../../base/parse-json.ts'

/** A secret among the settings, by where it stands. */
export interface Secret {
  /** The setting; the others of one server or list have the same. */
  setting: string
  value: string
}

type Env = Record<string, string | undefined>

const lists = ['WEBHOOK_SECRETS', 'PHARMACY_SECRET', 'ALERT_SECRET', 'SEALING_KEYS'] as const
const single = [
  'API_TOKEN',
  'FHIR_TOKEN',
  'ADMIN_PASSWORD',
  'OIDC_CLIENT_SECRET',
  'PHARMACY_PASSWORD',
  // Its path lets anyone post.
  'ALERT_SLACK_URL',
] as const
const secretName = /TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE/

const Routes = z.record(z.string(), z.looseObject({ url: z.string().optional(), secret: z.string().optional() }))

/** Every secret of the settings, also of those that are at fault: of pawl's own, and of the integration's (`ownNames`) those whose names say so, and the passwords in addresses. */
export function readSecrets(env: Env, ownNames: readonly string[] = []): Secret[] {
  const own = ownNames.filter((name) => secretName.test(name))
  const found = [
    ...lists.flatMap((setting) => partsOf(setting, env[setting] ?? '').map((value) => ({ setting, value }))),
    ...[...single, ...own].map((setting) => ({ setting, value: env[setting]?.trim() ?? '' })),
    ...readRoutes(env.PHARMACY_ROUTES ?? ''),
    ...[...Object.keys(Environment.shape), ...ownNames].flatMap((setting) =>
      passwordsIn(env[setting] ?? '').map((value) => ({ setting, value })),
    ),
  ]
  return found.filter(({ value }) => value !== '')
}

function partsOf(setting: (typeof lists)[number], text: string): string[] {
  // A comma within a secret is a matter of this setting alone.
  const parsed = setting === 'WEBHOOK_SECRETS' ? Environment.shape[setting].safeParse(text).data : undefined
  return parsed ?? text.split(',').map((part) => part.trim())
}

function readRoutes(text: string): Secret[] {
  const routes = Object.entries(Routes.safeParse(parseJson(text)).data ?? {})
  return routes.flatMap(([ncpdpId, { url, secret }]) => {
    const setting = `PHARMACY_ROUTES (${ncpdpId})`
    const values = [...(secret ?? '').split(',').map((part) => part.trim()), ...passwordsIn(url ?? '')]
    return values.map((value) => ({ setting, value }))
  })
}

/** As it is written, and as it is meant. */
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
