import type { RunContext } from '@pawl/connector/system'
import { PharmacyWriteFailed } from '../pharmacy-write-failed.ts'
import type { TransferNotice } from '../transfer-notice.ts'

/** A notice on its way, and the run that waits for it. */
export interface Sending {
  notice: TransferNotice
  run: RunContext
  /** Whether the run has its result, so that its notice goes into no other file. */
  isOver: boolean
  resolve: () => void
  reject: (error: unknown) => void
  /** The request that carries it, once begun. */
  begun?: ReturnType<RunContext['beginRequest']>
}

/** The kind of its requests. */
export const fileRequest = 'write file'

/** Passes a notice on and settles with its result; rejects at once if the run is aborted. */
export function startSending(
  notice: TransferNotice,
  run: RunContext,
  handOver: (sending: Sending) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (tell: () => void) => {
      sending.isOver = true
      run.signal.removeEventListener('abort', giveUp)
      tell()
    }
    const sending: Sending = {
      notice,
      run,
      isOver: false,
      resolve: () => end(resolve),
      reject: (error) => end(() => reject(error)),
    }
    const giveUp = () => sending.reject(givenUp(run))
    if (run.signal.aborted) return giveUp()
    run.signal.addEventListener('abort', giveUp, { once: true })
    handOver(sending)
  })
}

/** The sendings whose run may act right now; the others are rejected. */
export function stillActing(sendings: readonly Sending[]): Sending[] {
  return sendings.filter((sending) => {
    const { isOver, run, reject } = sending
    if (isOver) return false
    try {
      run.assertMayAct()
      sending.begun ??= run.beginRequest(fileRequest)
      return true
    } catch (error) {
      reject(error)
      return false
    }
  })
}

function givenUp({ resourceId }: RunContext): PharmacyWriteFailed {
  return new PharmacyWriteFailed({ resourceId, reason: 'the run was given up', retry: 'backoff', isOutage: false })
}
