import { ApiOutcomeUnknown } from './errors.ts'

/** A change of a PA or BV that a call of the client asks for, and that the service may tell of by an event. */
export interface OwnChange {
  name: OwnChangeName
  id: string
  /** The NCPDP id of the new pharmacy, where that is what changes. */
  value?: string
}
export type OwnChangeName = 'cancel' | 'cancel_transfer' | 'change_pharmacy'

/** Takes back what was noted of a change that was not carried out. */
export type TakeBack = () => Promise<void> | void

/** Called before each such call is sent, since its event may come before its answer; what it resolves with is called if the change was not carried out. Whatever either throws is ignored. */
export type OnChange = (change: OwnChange) => Promise<TakeBack | undefined> | TakeBack | undefined

/** Sends a call that asks for a change. Throws what `send` throws. */
export async function sendChange<T>(change: OwnChange, onChange: OnChange, send: () => Promise<T>): Promise<T> {
  const takeBack = await attempt(() => onChange(change))
  try {
    return await send()
  } catch (error) {
    // After every other error nothing was done.
    if (!(error instanceof ApiOutcomeUnknown)) await attempt(() => takeBack?.())
    throw error
  }
}

async function attempt<T>(note: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await note()
  } catch {
    // Noting it is up to the listener; the call counts.
    return undefined
  }
}
