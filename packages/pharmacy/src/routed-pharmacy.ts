import { type Clock, systemClock } from '@pawl/base/clock'
import { type CheckReport, isFault } from '@pawl/connector/system'
import type { TellOptions } from './tell-transfer.ts'
import { createTransferPharmacy, type NoticeChannel, type TransferPharmacy } from './transfer-pharmacy.ts'

export interface PharmacyRoutes extends Omit<TellOptions, 'clock'> {
  /** The pharmacies by NCPDP id. */
  routes: ReadonlyMap<string, NoticeChannel>
  /** The pharmacy for every other id, and for a transfer that has none yet. */
  fallback?: NoticeChannel | undefined
  clock?: Clock
}

/** Several pharmacies as one: each gets the transfers whose last attempt went to it. Throws `PharmacyRouteMissing`. */
export function routedPharmacy({ routes, fallback, clock = systemClock, ...how }: PharmacyRoutes): TransferPharmacy {
  const named = [...routes].map(([ncpdpId, channel]) => ({ name: `NCPDP id ${ncpdpId}`, channel }))
  const all = fallback === undefined ? named : [...named, { name: 'PHARMACY_URL', channel: fallback }]
  const channelOf = (ncpdpId: string | undefined) =>
    (ncpdpId === undefined ? undefined : routes.get(ncpdpId.trim())) ?? fallback

  return createTransferPharmacy(
    {
      send: async (notice, run) => channelOf(notice.data.pharmacy_ncpdp_id ?? undefined)?.send(notice, run),
      serves: (ncpdpId) => channelOf(ncpdpId) !== undefined,
      async check(signal) {
        const reports = await Promise.all(all.map(({ name, channel }) => checkOne(name, channel, signal)))
        return {
          ok: reports.every(({ ok }) => ok),
          findings: reports.flatMap(({ findings }) => findings),
          faults: reports.flatMap((report) => report.findings.filter((finding) => isFault(report, finding))),
        }
      },
      async close() {
        await Promise.all([...new Set(all.map(({ channel }) => channel))].map(async (channel) => channel.close?.()))
      },
    },
    { clock, ...how },
  )
}

async function checkOne(name: string, channel: NoticeChannel, signal: AbortSignal): Promise<CheckReport> {
  const report = (await channel.check?.(signal)) ?? { ok: true, findings: ['It has no check.'] }
  const named = (findings: readonly string[]) => findings.map((finding) => `${name}: ${finding}`)
  return { ok: report.ok, findings: named(report.findings), ...(report.faults && { faults: named(report.faults) }) }
}
