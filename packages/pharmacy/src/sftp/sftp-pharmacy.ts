import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '@pawl/base/clock'
import { isUnreached } from '@pawl/base/net/fetch'
import type { CheckReport } from '@pawl/connector/system'
import { PharmacyWriteFailed } from '../pharmacy-write-failed.ts'
import type { TransferFileFormat } from '../settings.ts'
import type { TransferNotice } from '../transfer-notice.ts'
import { createTransferPharmacy, type NoticeChannel, type TransferPharmacy } from '../transfer-pharmacy.ts'
import { createBatches } from './batches.ts'
import type { OpenSftp, SftpTarget } from './open-sftp.ts'
import { fileRequest, type Sending, startSending, stillActing } from './sftp-sending.ts'
import { createSftpConnection } from './sftp-connection.ts'
import { describeSftpError } from './sftp-failed.ts'
import { formatNotices, nameOfBatch, nameOfNotice } from './transfer-file.ts'
import { type FileToWrite, isWritten, partOf, publish, writePart } from './write-file.ts'

export interface SftpPharmacyOptions extends SftpTarget {
  /** The folder from which the pharmacy picks up files. */
  folder: string
  format: TransferFileFormat
  /** Milliseconds for which notices are gathered into one file; 0: one file per notice. */
  batchMs: number
  /** Time limit of one file, login included, in milliseconds. Default 15,000. */
  timeoutMs?: number
  clock?: Clock
}

/**
 * A pharmacy that takes files on an SFTP server: each is written as `.part` and counts as sent once it is complete and renamed. A retried
 * notice keeps its file name; a notice of a batch may come in a second file. Throws `PharmacyWriteFailed`.
 */
export function createSftpPharmacy(options: SftpPharmacyOptions): TransferPharmacy {
  const { folder, format, batchMs, clock = systemClock, timeoutMs = 15_000 } = options
  const connection = createSftpConnection(options)
  const batches = createBatches<Sending>({ windowMs: batchMs, flush: write })
  /** `.part` files of failed batches. Those of single notices are overwritten by the retry. */
  const leftOver = new Set<string>()

  function fileOf(sendings: readonly Sending[]): FileToWrite {
    const notices = sendings.map(({ notice }) => notice).toSorted(byTime)
    const [first] = notices
    const isOne = batchMs === 0 && first !== undefined
    const name = isOne ? nameOfNotice(first, format) : nameOfBatch(notices, format, clock.now())
    return { folder, name, content: formatNotices(notices, format) }
  }

  async function write(sendings: readonly Sending[]): Promise<void> {
    // Open no connection if all runs were aborted while they waited.
    if (stillActing(sendings).length === 0) return
    const withinMs = () => Math.min(timeoutMs, ...stillActing(sendings).map(({ run }) => run.remainingMs()))
    try {
      await connection.use(withinMs, (sftp) => writeFor(sendings, sftp))
    } catch (error) {
      for (const { run, reject } of sendings) reject(failureOf(error, run.resourceId))
    }
  }

  /** Writes one file for the runs that may still act; rejects the others, without their notices. */
  async function writeFor(sendings: readonly Sending[], sftp: OpenSftp): Promise<void> {
    await removeLeftOver(sftp)
    for (let acting = stillActing(sendings); acting.length > 0; acting = stillActing(acting)) {
      const file = fileOf(acting)
      const isThere = batchMs === 0 && (await isWritten(sftp, file))
      if (isThere || (await writeUnlessLost(file, acting, sftp))) {
        for (const { begun, resolve } of acting) {
          begun?.answered()
          resolve()
        }
        return
      }
    }
  }

  /** Publishes the file unless one of its runs may no longer act; resolves with whether it did. */
  async function writeUnlessLost(file: FileToWrite, acting: readonly Sending[], sftp: OpenSftp): Promise<boolean> {
    const mayAllAct = () => stillActing(acting).length === acting.length
    if (!mayAllAct()) return false
    leftOver.add(partOf(file))
    await writePart(sftp, file)
    if (mayAllAct()) {
      await publish(sftp, file)
      leftOver.delete(partOf(file))
      return true
    }
    await removeLeftOver(sftp)
    return false
  }

  /** If deleting is not allowed, `.part` files stay; receivers ignore them. */
  async function removeLeftOver({ client }: OpenSftp): Promise<void> {
    for (const part of leftOver) await client.delete(part, true).catch(() => {})
    leftOver.clear()
  }

  const channel: NoticeChannel = {
    send: (notice, run) => startSending(notice, run, (sending) => batches.add(sending, run.remainingMs() / 2)),
    async check() {
      const probe = { folder, name: `pawl-check-${randomUUID()}`, content: Buffer.alloc(0) }
      try {
        await connection.use(
          () => timeoutMs,
          async (sftp) => {
            await writePart(sftp, probe)
            await sftp.client.delete(partOf(probe))
          },
        )
      } catch (error) {
        return { ok: false, findings: [`No file can be written by SFTP: ${describeSftpError(error).message}.`] }
      } finally {
        connection.close()
      }
      return { ok: true, findings: ['Files can be written by SFTP.'] } satisfies CheckReport
    },
    async close() {
      batches.close()
      connection.close()
    },
  }
  return createTransferPharmacy(channel, { clock })
}

/** If pawl cannot use the server, for example because of a key or a folder, all work waits, and none is parked. */
function failureOf(error: unknown, resourceId: string): PharmacyWriteFailed {
  const { message, isSettings, cause } = describeSftpError(error)
  const costsAttempt = !isSettings && !isUnreached(cause)
  return new PharmacyWriteFailed({
    resourceId,
    reason: `SFTP: ${message}`,
    retry: 'backoff',
    isOutage: true,
    request: fileRequest,
    costsAttempt,
  })
}

function byTime(a: TransferNotice, b: TransferNotice): number {
  return a.timestamp < b.timestamp ? -1 : Number(a.timestamp > b.timestamp)
}
