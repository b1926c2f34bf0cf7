import { sql, type Transaction } from 'kysely'
import type { Core } from '../core.ts'
import type { Tables } from '../tables.ts'
import type { Account, Actor, AuditDetails } from './audit-entry.ts'

/** A login whose name an identity provider or a proxy vouches for. */
export interface ForeignLogin {
  actor: Actor
  details?: AuditDetails | undefined
  /** Possible holders of the same name: accounts of this provider, and the proxy's people. */
  rivals: { issuer: string | undefined; proxy: boolean }
}

/** Foreign logins, and the end of sessions; the audit trail records both. */
export interface Logins {
  /** Records the login, for a proxy's person only the first. Resolves with false, and records nothing, if the name was seen with another account. */
  admit(login: ForeignLogin): Promise<boolean>
  /** Ends a session for good, before its cookie expires (`until`). */
  endSession(session: { id: string; until: number }, actor: Actor): Promise<void>
  /** Stores the latest session time, in seconds; resolves with the previous one, if any. */
  keepSessionTime(at: number): Promise<number | undefined>
}

export function createLogins({ storage, commits, trail }: Core): Logins {
  return {
    admit: ({ actor, details, rivals }) =>
      commits.write(async (trx, now) => {
        // Of two concurrent logins, the second sees the row of the first.
        await storage.lockAudit(trx)
        if (await isNameOfAnother(trx, actor, rivals)) return false
        if (actor.account === undefined && (await hasLogin(trx, actor.name, 'admin:proxy'))) return true
        await trail.append(trx, now, [{ actor, action: 'person.login', details }])
        return true
      }),
    endSession: ({ id, until }, actor) =>
      commits.write(async (trx, now) => {
        // Session time never goes back: an expired session stays expired.
        const latest = trx.selectFrom('session_time').select('at')
        await trx.deleteFrom('ended_sessions').where('until', '<=', latest).execute()
        await trx
          .insertInto('ended_sessions')
          .values({ id, until })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        await trail.append(trx, now, [{ actor, action: 'person.logout' }])
      }),
    keepSessionTime: (at) =>
      commits.write(async (trx) => {
        const before = await trx.selectFrom('session_time').select('at').executeTakeFirst()
        await trx
          .insertInto('session_time')
          .values({ name: 'latest', at })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ at }).where('session_time.at', '<', at))
          .execute()
        return before?.at
      }),
  }
}

/** Reads by the index `audit_logins`, which only a literal condition makes usable. */
const logins = (trx: Transaction<Tables>, name: string) =>
  trx
    .selectFrom('audit')
    .select('id')
    .where('actor', '=', name)
    .where('action', '=', sql.lit('person.login' as const))
    .limit(1)

async function hasLogin(trx: Transaction<Tables>, name: string, via: 'admin:proxy'): Promise<boolean> {
  return (await logins(trx, name).where('via', '=', via).executeTakeFirst()) !== undefined
}

/** Accounts of a former provider keep no name: all accounts change with the provider. */
async function isNameOfAnother(
  trx: Transaction<Tables>,
  { name, account }: { name: string; account?: Account | undefined },
  { issuer, proxy }: ForeignLogin['rivals'],
): Promise<boolean> {
  if (account !== undefined && proxy && (await hasLogin(trx, name, 'admin:proxy'))) return true
  if (issuer === undefined) return false
  const ofProvider = logins(trx, name).where('via', '=', 'admin:oidc').where('issuer', '=', issuer)
  const others = account === undefined ? ofProvider : ofProvider.where('subject', '<>', account.subject)
  return (await others.executeTakeFirst()) !== undefined
}
