import { findMissing } from '@pawl/base/optional-packages'
import { systemClock } from '@pawl/base/clock'
import type { System } from '@pawl/connector/system'
import { notConfigured } from '@pawl/connector/not-configured'
import { serveFeed } from './feed/serve-feed.ts'
import { createMemoryPharmacy } from './memory/memory-pharmacy.ts'
import { PharmacySettingsInvalid } from './pharmacy-settings-invalid.ts'
import type { Pharmacy } from './pharmacy.ts'
import { routedPharmacy } from './routed-pharmacy.ts'
import type { PharmacySettings } from './settings.ts'
import { sftpPharmacy } from './sftp/sftp-from.ts'
import { createTransferPharmacy, type NoticeChannel } from './transfer-pharmacy.ts'
import { createSignedHttpPharmacy } from './signed-http/signed-http-pharmacy.ts'
import { dialectOf } from '@pawl/connector/sql/dialects'
import { createSqlPharmacy } from './sql/sql-pharmacy.ts'
import { readTablePlan } from './sql/table-plan.ts'

/** One pharmacy: its address, and the secrets shared with it, newest first. */
interface Route {
  url: string
  secret?: readonly string[] | undefined
}

/**
 * The pharmacy that the settings name, or several by NCPDP id. The scheme of each address selects the connector. Without any, production parks
 * notices and development keeps them in memory. With PHARMACY_FEED_KEYS, pharmacies read the feed, too. Throws `PharmacySettingsInvalid`.
 */
export function pharmacyFrom(settings: PharmacySettings & { NODE_ENV: string }): System<Pharmacy> {
  const { PHARMACY_FEED_KEYS: keys } = settings
  return { ...notifiedPharmacy(settings), ...(keys && { serve: (deps) => serveFeed(keys, deps) }) }
}

function notifiedPharmacy(settings: PharmacySettings & { NODE_ENV: string }): System<Pharmacy> {
  const { PHARMACY_URL: url, PHARMACY_SECRET: secret, PHARMACY_ROUTES: given = {} } = settings
  const readers = Object.values(settings.PHARMACY_FEED_KEYS ?? {})
  const how = { caseUrl: settings.CASE_URL, feedIds: new Set(readers.flatMap(({ ncpdp_ids: ids }) => ids)) }
  const connected = new Map<string, NoticeChannel>()

  function connect(route: Route, name: string): NoticeChannel {
    const key = JSON.stringify(route)
    const system = connected.get(key) ?? connectorFor(route, name, settings)
    connected.set(key, system)
    return system
  }

  const fallback = url === undefined ? undefined : connect({ url, secret }, 'PHARMACY_URL')
  // Pharmacies that read the feed and get no notices sent.
  const onlyRead = readers.filter(({ push }) => !push || fallback === undefined).flatMap(({ ncpdp_ids: ids }) => ids)
  const routes = new Map<string, NoticeChannel>([
    ...onlyRead.map((ncpdpId) => [ncpdpId, feedOnly] as const),
    ...Object.entries(given).map(
      ([ncpdpId, route]) =>
        [ncpdpId, connect({ url: route.url, secret: route.secret ?? secret }, `PHARMACY_ROUTES, ${ncpdpId}`)] as const,
    ),
  ])
  if (routes.size > 0) return routedPharmacy({ routes, fallback, ...how })
  if (fallback !== undefined) return createTransferPharmacy(fallback, { clock: systemClock, ...how })
  if (settings.NODE_ENV === 'production') return notConfigured('PHARMACY_URL')
  return {
    ...createMemoryPharmacy(systemClock, how),
    notice: 'PHARMACY_URL is not set: pharmacy notices stay in memory',
  }
}

/** A pharmacy that only reads the feed. */
const feedOnly: NoticeChannel = {
  send: async () => {},
  check: async () => ({ ok: true, findings: ['It reads the feed; nothing is sent to it.'] }),
}

/** The scheme of the address selects the connector. */
function connectorFor({ url, secret: secrets }: Route, name: string, settings: PharmacySettings): NoticeChannel {
  const dialect = dialectOf(url)
  const isSftp = new URL(url).protocol === 'sftp:'
  const missing = findMissing(name, isSftp ? ['ssh2-sftp-client'] : (dialect?.packages ?? []))
  if (missing !== undefined) throw new PharmacySettingsInvalid([missing])
  if (dialect !== undefined) return createSqlPharmacy({ dialect, url, plan: readTablePlan(settings) })
  if (isSftp) return sftpPharmacy(url, settings, name)
  if (!/^https?:/i.test(url)) throw new PharmacySettingsInvalid([`${name}: no connector handles this address`])
  if (secrets !== undefined) return createSignedHttpPharmacy({ url, secrets })
  throw new PharmacySettingsInvalid([`${name}: needs a secret to sign its posts with, its own or PHARMACY_SECRET`])
}
