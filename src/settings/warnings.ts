import { exampleIdentifierBase } from '../connectors/ehr/fhir/settings.ts'
import type { Config } from './read-config.ts'

/** Shorter secrets can be guessed. */
const minSecretLength = 32

/** A valid but unlikely setting. */
export interface SettingsWarning {
  /** A fixed sentence, for the log. */
  says: string
  todo: string
}

/** Valid but unlikely settings. Most matter only in production. */
export function warningsFor(config: Config): SettingsWarning[] {
  const { isProduction, role, webhookSecrets, sealingKeys, acceptsPlain, settings } = config
  const warnings: SettingsWarning[] = []
  if (role !== 'worker' && webhookSecrets.some((secret) => secret.length < minSecretLength))
    warnings.push({
      says: `a secret of WEBHOOK_SECRETS has fewer than ${minSecretLength} characters: it may be guessed`,
      todo: 'Put a longer one in front of it (openssl rand -hex 32), give it to the service, then remove the short one.',
    })
  if (acceptsPlain)
    warnings.push({
      says: 'sealing is being turned on (SEALING): values that are not sealed are believed, so that write access to the ledger is enough to replace one',
      todo: 'Run pawl keys rotate; once it reports that all values are sealed, remove SEALING and restart.',
    })
  if (!isProduction) return warnings
  if (sealingKeys.length === 0)
    warnings.push({
      says: 'sealing is off (SEALING): anyone who can read the ledger can read its bodies and snapshots, and anyone who can write to it can forge the audit trail',
      todo: 'Set SEALING_KEYS to a key of its own (openssl rand -base64 32), keep that key apart from the backups, and remove SEALING.',
    })
  if (settings.FHIR_BASE_URL !== undefined && settings.FHIR_IDENTIFIER_BASE === exampleIdentifierBase)
    warnings.push({
      says: 'FHIR_IDENTIFIER_BASE is the example: set an address of your own before the first write to the chart',
      todo: 'Set it to an address that your organization owns, then keep it: records are found again by it.',
    })
  return warnings
}
