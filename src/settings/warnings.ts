import { readOpenFilesLimit, sayOpenFiles } from '@pawl/base/open-files'
import type { SettingsWarning } from '@pawl/connector/connector-settings'
import type { Config } from './read-config.ts'

/** Shorter secrets can be guessed. */
const minSecretLength = 32
/** Deliveries, the admin listener, systems and databases each need connections. */
const minOpenFiles = 1_024

/** Valid but unlikely settings. Most matter only in production. */
export function warningsFor(config: Config, openFiles = readOpenFilesLimit()): SettingsWarning[] {
  const { isProduction, role, webhookSecrets, sealingKeys, acceptsPlain, wrapped, misspelt, unusedProxy } = config
  const warnings: SettingsWarning[] = []
  if (wrapped.length > 0)
    warnings.push({
      says: `the value of ${wrapped.join(', ')} has quotes, spaces or a carriage return around it, which are taken as part of it`,
      todo: 'Remove them: some readers of settings files, such as docker run --env-file, keep quotes and the CR of Windows line ends.',
    })
  for (const { name, meant } of misspelt)
    warnings.push({
      says: `${name} is no setting, and is not used; ${meant} is one`,
      todo: `Rename it to ${meant}, or remove it.`,
    })
  if (unusedProxy !== undefined)
    warnings.push({
      says: `${unusedProxy} is set, but pawl sends no request through a proxy: it connects to each address itself`,
      todo: 'Let this machine connect to the addresses of the settings, or route them transparently; then remove the variable.',
    })
  if (openFiles !== undefined && openFiles < minOpenFiles)
    warnings.push({
      says: `${sayOpenFiles(openFiles)}: under load it will fail with EMFILE`,
      todo: `Raise the limit to ${minOpenFiles} or more (LimitNOFILE of systemd, --ulimit nofile of Docker).`,
    })
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
  if (isProduction && sealingKeys.length === 0)
    warnings.push({
      says: 'sealing is off (SEALING): anyone who can read the ledger can read its bodies and snapshots, and anyone who can write to it can forge the audit trail',
      todo: 'Set SEALING_KEYS to a key of its own (openssl rand -base64 32), keep that key apart from the backups, and remove SEALING.',
    })
  return [...warnings, ...config.connectorWarnings]
}
