import type { Request } from 'express'
import type { Actor } from '../ledger/audit-entry.ts'

/** In which header whoever asks says who he is. */
export const actorHeader = 'x-pawl-actor'

/** Such as `maria@ops-1`: one word, so that no sentence about somebody comes along. */
const name = /^[\x21-\x7e]{1,120}$/

/** Who asks the admin listener, as he says himself: the password shows that he may, not who he is. */
export function readActor(req: Pick<Request, 'get'>): Actor {
  const stated = req.get(actorHeader) ?? ''
  return { name: name.test(stated) ? stated : 'unnamed', via: 'admin' }
}
