import { toWire } from './wire.ts'

/** The success body of a control. */
export const success = (data: unknown) => ({ status: 'success', data: toWire(data) })
