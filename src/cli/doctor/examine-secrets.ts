import { type Schemas, settingsMarked } from '../../settings/environment.ts'
import { type Finding, ok, warn } from './finding.ts'
import type { Secret } from './secrets.ts'

const area = 'secrets'

/** Min distinct characters of a secret; any random secret of this length has more. */
const minDistinct = 6
/** Words of public examples. */
const known = /example|change-?me|passw[o0]rd|a-secret-(of|for)|sandbox|123456|qwerty/i
/** The queue may be in the ledger's own database. */
const oneServer = new Set(['DATABASE_URL', 'QUEUE_URL'])

/** Checks for secrets that can be guessed or are used twice. */
export function examineSecrets(secrets: readonly Secret[], schemas: Schemas): Finding[] {
  // The strength of an issued secret is up to its issuer.
  const issued = new Set(settingsMarked(schemas, 'secret', 'issued'))
  const weak = new Set(
    secrets
      .filter(({ setting, value }) => !issued.has(setting) && isWeak(setting, value))
      .map(({ setting }) => setting),
  )
  const findings = [
    ...[...weak].map((setting) =>
      warn(
        area,
        `A secret of ${setting} is easily guessed.`,
        `Make a random one (openssl rand -${setting === 'SEALING_KEYS' ? 'base64' : 'hex'} 32), and pass it to the other party.`,
      ),
    ),
    ...shared(secrets),
  ]
  return findings.length > 0 ? findings : [ok(area, 'None is weak, and none is used twice.')]
}

function isWeak(setting: string, value: string): boolean {
  const bytes = setting === 'SEALING_KEYS' || value.startsWith('whsec_') ? bytesOf(value) : Buffer.from(value)
  return new Set(bytes).size < minDistinct || known.test(value)
}

function shared(secrets: readonly Secret[]): Finding[] {
  const places = new Map<string, string[]>()
  for (const { setting, value } of distinctPasswords(secrets)) {
    // One key has several spellings.
    const key = value.replace(/^whsec_/, '').replace(/=+$/, '')
    places.set(key, [...(places.get(key) ?? []), setting])
  }
  const findings: Finding[] = []
  const told = new Set<string>()
  for (const settings of places.values()) {
    const names = [...new Set(settings)]
    const line = names.join(' and ')
    if (settings.length === 1 || names.every((name) => oneServer.has(name)) || told.has(line)) continue
    told.add(line)
    if (names.length === 1) findings.push(warn(area, `${line} has the same secret twice.`, 'Remove one of them.'))
    else findings.push(warn(area, `${line} have the same secret.`, 'Give each a secret of its own.'))
  }
  return findings
}

/** Keeps one secret per address, whose password `readSecrets` gives in two forms. */
function distinctPasswords(secrets: readonly Secret[]): Secret[] {
  const isAddress = (setting: string) => setting.endsWith('_URL')
  return secrets.filter(
    ({ setting }, index) => !isAddress(setting) || secrets.findIndex((other) => other.setting === setting) === index,
  )
}

function bytesOf(value: string): Buffer {
  return Buffer.from(value.replace(/^whsec_/, ''), 'base64')
}
