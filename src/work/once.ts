import { ApiOutcomeUnknown, ApiUnreachable } from '../service/client/errors.ts'
import { PawlError } from '../base/errors.ts'
import { readDocument } from '../ledger/sealing/documents.ts'
import { FailureUnconfirmed } from '../systems/failure-unconfirmed.ts'
import { SystemDown } from '../systems/system-down.ts'
import type { Effect } from './handler.ts'
import type { Effects } from '../ledger/hot/effects.ts'

/** What `once` needs of one run. */
export interface OnceDeps {
  ledger: Effects
  resourceId: string
  /** Its name. */
  handler: string
  /** Throws when the run may not act any more. */
  assertMayAct(this: void): void
}

/** Makes `once` of one run. That an effect begins is committed before it does, so that the next attempt knows of one whose end nobody saw. */
export function createOnce({ ledger, resourceId, handler, assertMayAct }: OnceDeps) {
  return async function once<Result>(key: string, effect: Effect<Result>): Promise<Result | undefined> {
    const done = await ledger.effect(resourceId, handler, key)
    // What was recorded is what this effect returned.
    if (done !== undefined) return readDocument(done.document) as Result | undefined
    assertMayAct()
    const { mayHaveRun } = await ledger.beginEffect(resourceId, handler, key)
    const forget = async () => {
      // What an earlier attempt may have done stays possible. And if this note cannot be taken back, it is better asked about in vain.
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

/** Whether what was thrown says that nothing happened. An error of another's making says nothing about that; no answer and 5xx leave it open. */
function surelyFailed(error: unknown): boolean {
  // Without a cause nothing was sent.
  if (error instanceof SystemDown) return error.cause === undefined || surelyFailed(error.cause)
  if (error instanceof FailureUnconfirmed) return surelyFailed(error.cause)
  if (error instanceof ApiUnreachable) return true
  return error instanceof PawlError && !error.isOutage && !(error instanceof ApiOutcomeUnknown)
}

/** A run that was cut off may have left its effect on the way, and the next run may have begun it anew. */
function mayStillAct(assertMayAct: () => void): boolean {
  try {
    assertMayAct()
    return true
  } catch {
    return false
  }
}
