import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { TransferNotice } from '../../../packages/pharmacy/src/transfer-notice.ts'
import { preparePawl } from '../../support/pawl-processes.ts'
import { startPlayedService } from '../../support/played-service.ts'
import { startRelay } from '../../support/relay.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../support/samples.ts'
import { until } from '../../support/until.ts'
import { ranksOf } from '../../support/ranks.ts'

const key = 'a-key-of-the-corner-pharmacy-for-tests'
const transfers = 12
const states = 3

const Page = z.object({ next: z.int(), more: z.boolean(), notices: z.array(TransferNotice) })

/** A pharmacy that only polls: it keeps the number of the last page that it has whole, and asks again after any failure. */
function startPharmacy(url: string) {
  const notices: TransferNotice[] = []
  const stopping = new AbortController()
  let failures = 0
  let after = 0
  async function poll() {
    while (!stopping.signal.aborted) {
      try {
        const answer = await fetch(`${url}/pharmacy/transfers?after=${after}&limit=5&wait=1`, {
          headers: { authorization: `Bearer ${key}` },
          signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(3_000)]),
        })
        if (!answer.ok) throw new Error(String(answer.status))
        const page = Page.parse(await answer.json())
        notices.push(...page.notices)
        after = page.next
      } catch {
        failures += 1
        await sleep(50)
      }
    }
  }
  const over = poll()
  return {
    notices,
    failures: () => failures,
    async close() {
      stopping.abort()
      await over
    },
  }
}

/** Changes transfers again and again while one process is killed and the pharmacy's network is cut; all must arrive. */
async function everyTransferArrives(databaseUrl?: string): Promise<void> {
  const attempts = new Map<string, number>()
  const read = (id: string) =>
    samplePriorAuthorization({
      id,
      status: 'completed',
      prescription_transfer: sampleTransfer({
        transfer_attempts: Array.from({ length: attempts.get(id) ?? 1 }, (_, index) => ({
          timestamp: `2026-03-01T10:0${index}:00Z`,
          pharmacy_ncpdp_id: '1111111',
        })),
      }),
    })
  const receivers: string[] = []
  const service = await startPlayedService(() => receivers, read)
  onTestFinished(service.close)
  const pawls = await preparePawl({
    API_BASE_URL: service.url,
    LEASE_MS: '3000',
    SWEEP_INTERVAL_MS: '200',
    PHARMACY_FEED_KEYS: JSON.stringify({ corner: { ncpdp_ids: ['1111111'], key } }),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  })
  onTestFinished(pawls.close)
  receivers.push(pawls.url)
  // On PostgreSQL a second process adds to the feed, too.
  const worker = { ROLE: 'worker', ADMIN_PORT: '0' }
  let pawl = await pawls.start()
  if (databaseUrl !== undefined) await pawls.start(worker)
  const relay = await startRelay(Number(new URL(pawls.url).port))
  onTestFinished(relay.close)
  const pharmacy = startPharmacy(`http://127.0.0.1:${relay.port}`)
  onTestFinished(pharmacy.close)

  const ids = Array.from({ length: transfers }, (_, index) => `pa_req_${index}`)
  for (let state = 1; state <= states; state += 1) {
    relay.fail(state === 1 ? 'lost_answer' : state === 2 ? 'cut' : undefined)
    for (const id of ids) {
      attempts.set(id, state)
      service.change(id)
    }
    await sleep(300)
    await pawl.end('SIGKILL')
    relay.fail('away')
    pawl = await pawls.start()
    await service.quiet()
    relay.fail()
    const newest = () =>
      ids.filter((id) =>
        pharmacy.notices.some(
          ({ data }) => data.prior_authorization_id === id && data.transfer_attempts.length === state,
        ),
      )
    await until(`state ${state} of all transfers`, () => newest().length === transfers, 60_000)
  }

  expect(pharmacy.failures()).toBeGreaterThan(0)
  const noticesOf = (id: string) => pharmacy.notices.filter(({ data }) => data.prior_authorization_id === id)
  // A page whose answer was lost was not counted by the pharmacy, so none comes twice either.
  const inOrder = Array.from({ length: states }, (_, index) => index + 1)
  for (const id of ids) {
    expect(ranksOf(noticesOf(id).map(({ sequence }) => sequence)), id).toEqual(inOrder)
    expect(
      noticesOf(id).map(({ data }) => data.transfer_attempts.length),
      id,
    ).toEqual(inOrder)
  }
}

it('a pharmacy that only polls gets every transfer in order, despite a network cut and a killed process', () =>
  everyTransferArrives())
