import { addressesMarked } from '../../settings/environment.ts'
import type { Config } from '../../settings/read-config.ts'
import { logFieldNames } from '@pawl/base/log'
import { isThisMachine } from '@pawl/base/net/public-address'
import type { Finding } from './finding.ts'

/** One technical safeguard of 45 CFR 164.312, with its configuration and the operator's duties. */
export interface Safeguard {
  /** Its section, such as `164.312(a)(1)`. */
  section: string
  title: string
  /** From the settings; without values of secrets. */
  here: readonly string[]
  /** Duties that pawl cannot take over. */
  operator: string
}

/** Evidence of one set-up for an auditor. Holds no secrets and no patient data. */
export interface Evidence {
  version: string
  node: string
  /** ISO 8601. */
  at: string
  safeguards: readonly Safeguard[]
  findings: readonly Finding[]
}

export interface EvidenceSource {
  version: string
  node: string
  nowMs: number
  config: Config
  systems: readonly string[]
  /** Fields of log lines that the integration adds. */
  logFields: readonly string[]
  findings: readonly Finding[]
}

const dayMs = 86_400_000

/** Collects the configuration of each safeguard. */
export function gatherEvidence({
  version,
  node,
  nowMs,
  config,
  systems,
  logFields,
  findings,
}: EvidenceSource): Evidence {
  return {
    version,
    node,
    at: new Date(nowMs).toISOString(),
    safeguards: [
      accessControl(config),
      emergencyAccess(config),
      encryptionAtRest(config),
      auditControls(config, logFields),
      integrity(config),
      authentication(config, systems),
      transmission(config),
    ],
    findings,
  }
}

function accessControl({ admin, role, host, allowedAddresses, trustedProxies }: Config): Safeguard {
  const where = isThisMachine(admin.host) ? 'this machine alone' : 'other machines'
  return {
    section: '164.312(a)(1), (a)(2)(i), (a)(2)(iii)',
    title: 'Access control, unique user identification, automatic logoff',
    here: [
      `Admin listener: reachable from ${where}; people authenticate by ${waysIn(admin)}. Sessions end after 30 minutes without a request, and after 12 hours. It shows ids and codes; content only to people with the right to reveal it, for a reason that the audit trail records.`,
      ...(role === 'worker'
        ? ['Webhooks: not received by this role.']
        : [
            `Webhooks: accepted from ${isThisMachine(host) ? 'this machine' : 'other machines'}, ${allowedAddresses === undefined ? 'from any address' : `from ${counted(allowedAddresses.length, 'address or network', 'addresses or networks')} alone`}; ${counted(trustedProxies.length, 'trusted proxy', 'trusted proxies')}.`,
          ]),
    ],
    operator:
      admin.password === undefined
        ? 'Give each person a name of their own and no more roles than they need; remove people who leave.'
        : 'The admin password is shared and has every right: keep it for emergencies, and give each person a name of their own (ADMIN_USERS, OIDC_ISSUER).',
  }
}

function waysIn({ password, users, oidc, proxy }: Config['admin']): string {
  const ways = [
    ...(users.length > 0 ? [`passwords of their own (${counted(users.length, 'person', 'people')})`] : []),
    ...(oidc === undefined ? [] : ['an identity provider']),
    ...(proxy === undefined ? [] : ['a trusted proxy']),
    ...(password === undefined ? [] : ['one shared password']),
  ]
  return ways.length === 0 ? 'nothing: anyone on this machine may do everything' : ways.join(', ')
}

function emergencyAccess({ databaseUrl }: Config): Safeguard {
  return {
    section: '164.312(a)(2)(ii)',
    title: 'Emergency access procedure',
    here: [
      `Ledger: ${databaseUrl.startsWith('file:') ? 'an SQLite file' : 'PostgreSQL'}. The records themselves are in the EHR, at the pharmacy and at the service.`,
    ],
    operator: 'Back up the ledger, keep the sealing keys apart from it, and practise the restore (docs/deploying.md).',
  }
}

function encryptionAtRest({ sealingKeys, keep }: Config): Safeguard {
  const count = sealingKeys.length
  return {
    section: '164.312(a)(2)(iv)',
    title: 'Encryption and decryption',
    here: [
      count === 0
        ? 'Sealing: off. Bodies and snapshots are stored readable.'
        : `Sealing: on, AES-256-GCM, ${counted(count, 'key', 'keys')}; the first seals, the others only open older values.`,
      `Retention: ${keep.keepMs / dayMs} days; parked work ${keep.parkedKeepMs / dayMs} days; figures of the report ${keep.reportKeepMs / dayMs} days.`,
    ],
    operator: 'pawl does not know how old a key is: note when each was made. Encrypt disks and backups.',
  }
}

function auditControls({ logLevel, isProduction }: Config, logFields: readonly string[]): Safeguard {
  return {
    section: '164.312(b)',
    title: 'Audit controls',
    here: [
      `Log: level ${logLevel}; ${isProduction ? 'messages of foreign errors are left out' : 'messages of foreign errors are logged, since this is not production'}.`,
      `Fields that a line may have: ${[...logFieldNames, ...logFields].join(', ')}.`,
    ],
    operator: 'Collect the log where pawl cannot change it, keep it as long as your policy requires, and review it.',
  }
}

function integrity({ webhookSecrets, role }: Config): Safeguard {
  return {
    section: '164.312(c)(1), (c)(2)',
    title: 'Integrity, mechanism to authenticate electronic protected health information',
    here: [
      ...(role === 'worker'
        ? []
        : [
            `Webhooks: verified by HS256 with ${counted(webhookSecrets.length, 'secret', 'secrets')}; the body by its digest where the token has one.`,
          ]),
      'Handlers work from responses of the API, not from a webhook, except for outreach attempts. Sealed rows that were altered do not open.',
    ],
    operator: 'Monitor the file or database of the ledger for changes made outside pawl.',
  }
}

function authentication({ settings, logins, webhookSecrets, role }: Config, systems: readonly string[]): Safeguard {
  const toService = `to the service with ${settings.API_TOKEN === undefined ? 'nothing' : 'a token'}`
  return {
    section: '164.312(d)',
    title: 'Person or entity authentication',
    here: [
      ...(role === 'worker'
        ? []
        : [
            `The service authenticates to pawl with ${counted(webhookSecrets.length, 'webhook secret', 'webhook secrets')}.`,
          ]),
      `pawl authenticates ${[toService, ...logins].join(', and ')}.`,
      `Systems of this integration: ${systems.length === 0 ? 'none' : systems.join(', ')}.`,
    ],
    operator: 'Rotate the secrets (each list accepts the old one beside the new), and limit who may read the settings.',
  }
}

function transmission({ databaseUrl, queueUrl, ...config }: Config): Safeguard {
  const server = (name: string, address: string) => `${name}: ${describeWay(new URL(address))}.`
  return {
    section: '164.312(e)(1), (e)(2)(i), (e)(2)(ii)',
    title: 'Transmission security, integrity controls, encryption',
    here: [
      "Incoming: pawl speaks HTTP; TLS is the proxy's, as the operator states.",
      ...addressesMarked(config, 'isOutward').map(([name, address]) => server(name, address)),
      ...(databaseUrl.startsWith('file:') ? [] : [server('DATABASE_URL', databaseUrl)]),
      ...(queueUrl === undefined ? [] : [`${server('QUEUE_URL', queueUrl)} It carries ids alone.`]),
    ],
    operator: 'Put a proxy with TLS in front (docs/deploying.md), and use https:// and sslmode=verify-full addresses.',
  }
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

/** The scheme, and whether the address is local; never the address itself. */
function describeWay({ protocol, hostname, searchParams }: URL): string {
  if (isThisMachine(hostname)) return 'on this machine'
  if (/^postgres(ql)?:$/.test(protocol)) {
    const mode = searchParams.get('sslmode') ?? 'not set'
    return `PostgreSQL over the network, sslmode ${/^[a-z-]{1,20}$|^not set$/.test(mode) ? mode : 'unknown'}`
  }
  const isEncrypted = ['https:', 'rediss:', 'sftp:', 'mllps:'].includes(protocol)
  return `${protocol.slice(0, -1)}, ${isEncrypted ? 'encrypted' : 'not known to be encrypted'}`
}

/** The evidence as Markdown. */
export function formatEvidence({ version, node, at, safeguards, findings }: Evidence): string {
  return [
    '# Evidence of technical safeguards (45 CFR 164.312)',
    '',
    `pawl ${version}, Node ${node}, ${at}. As configured; docs/security.md describes pawl's safeguards and their tests.`,
    ...safeguards.flatMap(({ section, title, here, operator }) => [
      '',
      `## ${section}: ${title}`,
      '',
      ...here.map((line) => `- ${line}`),
      `- Left to the operator: ${operator}`,
    ]),
    '',
    '## Findings of the doctor',
    '',
    ...findings.map(({ area, level, says, todo }) => `- ${area}, ${level}: ${says}${todo === null ? '' : ` ${todo}`}`),
  ].join('\n')
}
