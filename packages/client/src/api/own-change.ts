import { ApiOutcomeUnknown } from './api-errors.ts'

/** A change of a PA or BV requested by a client call; the service may send an event for it. */
export interface OwnChange {
  name: OwnChangeName
  id: string
  /** NCPDP id of the new pharmacy; only for `change_pharmacy`. */
  value?: string
}
export type OwnChangeName = 'cancel' | 'cancel_transfer' | 'change_pharmacy'

/** Removes the record of a change that did not happen. */
export type TakeBack = () => Promise<void> | void

/** Called before each such call, since its event may arrive before its answer. Returns a function to call if the change did not happen. Errors of both are ignored. */
export type OnChange = (change: OwnChange) => Promise<TakeBack | undefined> | TakeBack | undefined

/** Sends a call that requests a change. Throws the errors of `send`. */
export async function sendChange<T>(change: OwnChange, onChange: OnChange, send: () => Promise<T>): Promise<T> {
  const takeBack = await attempt(() => onChange(change))
  try {
    return await send()
  } catch (error) {
    // Every other error means that nothing changed.
    if (!(error instanceof ApiOutcomeUnknown)) await attempt(() => takeBack?.())
    throw error
  }
}

async function attempt<T>(note: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await note()
  } catch {
    // A failing listener must not fail the call.
    return undefined
  }
}
