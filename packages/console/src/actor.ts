import type { Request } from 'express'
import type { Actor } from '@pawl/ledger/audit/audit-entry'
import { actorHeader } from './contract/route.ts'

/** Such as `maria@ops-1`: one word, so that it holds no sentence about a patient. */
const name = /^[\x21-\x7e]{1,120}$/

/** The person behind a request: the authenticated name, else the claimed one. */
export function readActor(req: Pick<Request, 'get' | 'access'>): Actor {
  const person = req.access?.person
  const auth = person?.method === undefined ? {} : { auth: person.method }
  const account = person?.account === undefined ? {} : { account: person.account }
  if (person?.isSelfNamed === false) return { name: person.name, via: 'admin', ...auth, ...account }
  const stated = req.get(actorHeader) ?? person?.name ?? ''
  return { name: name.test(stated) ? stated : 'unnamed', via: 'admin', ...auth }
}
