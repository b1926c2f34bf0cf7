import { type Clock, systemClock } from '@pawl/base/clock'
import { type CheckReport, isFault, type RunContext } from '@pawl/connector/system'
import { PharmacyWriteFailed, requestAt } from './pharmacy-write-failed.ts'
import type { TellOptions } from './tell-transfer.ts'
import type { TransferNotice } from './transfer-notice.ts'
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
  const named = new Map([...routes].map(([ncpdpId, channel]) => [ncpdpId, { name: `NCPDP id ${ncpdpId}`, channel }]))
  const other = fallback && { name: 'PHARMACY_URL', channel: fallback }
  const all = [...named.values(), ...(other === undefined ? [] : [other])]
  const routeOf = (ncpdpId: string | undefined) => named.get(ncpdpId?.trim() ?? '') ?? other

  return createTransferPharmacy(
    {
      async send(notice, run) {
        const route = routeOf(notice.data.pharmacy_ncpdp_id ?? undefined)
        if (route !== undefined) await sendAt(route, notice, run)
      },
      serves: (ncpdpId) => routeOf(ncpdpId) !== undefined,
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

/** Sends to one of the pharmacies, whose failures hold up no other. */
async function sendAt({ name, channel }: Route, notice: TransferNotice, run: RunContext): Promise<void> {
  try {
    // A run has its signal as a getter, and its functions need no `this`.
    await channel.send(notice, { ...run, beginRequest: (kind) => run.beginRequest(requestAt(kind, name)) })
  } catch (error) {
    throw error instanceof PharmacyWriteFailed ? error.at(name) : error
  }
}

interface Route {
  name: string
  channel: NoticeChannel
}

async function checkOne(name: string, channel: NoticeChannel, signal: AbortSignal): Promise<CheckReport> {
  const report = (await channel.check?.(signal)) ?? { ok: true, findings: ['It has no check.'] }
  const named = (findings: readonly string[]) => findings.map((finding) => `${name}: ${finding}`)
  return { ok: report.ok, findings: named(report.findings), ...(report.faults && { faults: named(report.faults) }) }
}
