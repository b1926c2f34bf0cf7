import type { Written } from '../connectors/written.ts'
import { PawlError } from '../errors.ts'
import { wrapMethods } from './wrap-methods.ts'

/** A connector wrote, but gave no receipt that could be kept: a fault of its code, which no repetition mends. */
export class ReceiptUnusable extends PawlError {
  readonly code = 'receipt_unusable'
}

type Port = Record<keyof never, (...args: never[]) => Promise<Written[]>>

/** The same port, noting the receipt of every write in `writes`, and asking `assertMayAct` before each: a run that was given up must not touch a system that its successor works on. */
export function recordWrites<P extends object>(
  port: P & { [K in keyof P]: Port[keyof never] },
  writes: Written[],
  assertMayAct: () => void,
): P {
  return wrapMethods<P>(port, (write) => async (...args) => {
    assertMayAct()
    // As the parameter's type says.
    const receipts = (await write(...args)) as Written[]
    writes.push(...receipts.map(toReceipt))
    return receipts
  })
}

/** Only what a receipt is to hold: whatever else a connector returns may be about a patient. */
function toReceipt({ system, type, id, version }: Written): Written {
  const isUsable = [system, type, id, version ?? ''].every((part) => typeof part === 'string')
  if (!isUsable) throw new ReceiptUnusable('A connector must return system, type and id of what it wrote, as strings.')
  return { system, type, id, ...(version !== undefined && { version }) }
}

/** The same client, asking `assertMayAct` before each call, too. */
export function guardCalls<P extends object>(client: P, assertMayAct: () => void): P {
  return wrapMethods(client, (call) => async (...args) => {
    assertMayAct()
    return call(...args)
  })
}
