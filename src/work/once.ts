import { ApiOutcomeUnknown, ApiUnreachable } from 'pawl-client/api/api-errors'
import { PawlError } from '@pawl/base/errors'
import { readDocument } from '@pawl/ledger/sealing/documents'
import { FailureUnconfirmed } from '../systems/failure-unconfirmed.ts'
import { SystemDown } from '../systems/system-down.ts'
import type { Effect } from './handler.ts'
import type { Effects } from '@pawl/ledger/hot/effects'

/** The run that `once` belongs to. */
export interface OnceDeps {
  ledger: Effects
  resourceId: string
  handler: string
  /** Throws once the run has lost the right to act. */
  assertMayAct(this: void): void
}

/** Makes `once` for one run. The beginning of an effect is committed first, so that the next attempt knows of an effect without a known end. */
export function createOnce({ ledger, resourceId, handler, assertMayAct }: OnceDeps) {
  return async function once<Result>(key: string, effect: Effect<Result>): Promise<Result | undefined> {
    const done = await ledger.effect(resourceId, handler, key)
    // The record holds what this effect returned.
    if (done !== undefined) return readDocument(done.document) as Result | undefined
    assertMayAct()
    const { mayHaveRun } = await ledger.beginEffect(resourceId, handler, key)
    const forget = async () => {
      // An earlier attempt may still have happened. If this delete fails, the next attempt checks the system needlessly, which is the safer mistake.
      if (!mayHaveRun) await ledger.forgetBegun(resourceId, handler, key).catch(() => undefined)
    }
    let result: Result
    try {
      assertMayAct()
    } catch (error) {
      await forget()
      throw error
    }
    try {
      result = await effect({ mayHaveRun })
    } catch (error) {
      if (surelyFailed(error) && mayStillAct(assertMayAct)) await forget()
      throw error
    }
    await ledger.recordEffect(resourceId, handler, key, JSON.stringify(result))
    return result
  }
}

/** Whether the error proves that nothing happened. Foreign errors prove nothing; a missing answer and 5xx leave it open. */
export function surelyFailed(error: unknown): boolean {
  // Without a cause, no request was sent.
  if (error instanceof SystemDown) return error.cause === undefined || surelyFailed(error.cause)
  if (error instanceof FailureUnconfirmed) return surelyFailed(error.cause)
  if (error instanceof ApiUnreachable) return true
  return error instanceof PawlError && !error.isOutage && !(error instanceof ApiOutcomeUnknown)
}

/** The effect of an aborted run may still arrive, and the next run may have started it again. */
function mayStillAct(assertMayAct: () => void): boolean {
  try {
    assertMayAct()
    return true
  } catch {
    return false
  }
}
