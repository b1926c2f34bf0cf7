import type { Account, AuditEntry } from './audit-entry.ts'
import type { Log } from '@pawl/base/log'
import type { AuditTrail } from './create-audit-trail.ts'

/** Writes refusals into the audit trail, grouped so that a flood does not fill it. */
export interface GroupedNotes {
  /** `name` is absent if unknown, since it may be a mistyped password. Written in the background: the time of a commit would reveal a known name. */
  refusedLogin(this: void, login: { name: string | undefined; address: string; by: 'basic' | 'form' | 'oidc' }): void
  /** A provider or a proxy stated another person's name. Written in the background. */
  refusedName(this: void, login: { account: Account | undefined; address: string; by: 'oidc' | 'proxy' }): void
  /** A request for the feed has no valid key. Written in the background. */
  refusedKey(this: void, address: string): void
  /** An authenticated person lacks a right. */
  refusedAccess(
    this: void,
    entry: Pick<AuditEntry, 'actor'> & { details: { route: string; needs: string } },
  ): Promise<void>
}

export interface GroupedNotesDeps {
  audit: AuditTrail['audit']
  /** Aborts when the process stops. */
  stopping: AbortSignal
  log: Log
  /** How long refusals after the first are gathered, in milliseconds. */
  windowMs?: number
}

/** Max kinds of refusal gathered at once. */
const maxGroups = 1_000

/** The first refusal of a kind is written at once, later ones in one entry with their number, when the window ends or the process stops. */
export function createGroupedNotes({ audit, stopping, log, windowMs = 300_000 }: GroupedNotesDeps): GroupedNotes {
  const groups = new Map<string, { entry: AuditEntry; more: number; timer: NodeJS.Timeout }>()

  const sayLost = (count: number, error: unknown) =>
    log.error({ component: 'audit', count, error }, 'refusals could not be written into the audit trail')

  async function flush(key: string): Promise<void> {
    const group = groups.get(key)
    if (group === undefined) return
    groups.delete(key)
    clearTimeout(group.timer)
    if (group.more === 0) return
    const details = { ...group.entry.details, more: group.more }
    try {
      await audit({ ...group.entry, details })
    } catch (error) {
      sayLost(group.more, error)
    }
  }

  stopping.addEventListener('abort', () => {
    for (const key of groups.keys()) void flush(key)
  })

  async function note(key: string, entry: AuditEntry): Promise<void> {
    const group = groups.get(key)
    if (group !== undefined) {
      group.more += 1
      return
    }
    const timer = setTimeout(() => void flush(key), windowMs).unref()
    groups.set(key, { entry, more: 0, timer })
    for (const [oldest] of groups) if (groups.size > maxGroups) void flush(oldest)
    try {
      await audit(entry)
    } catch (error) {
      clearTimeout(timer)
      groups.delete(key)
      throw error
    }
  }

  return {
    refusedLogin: ({ name, address, by }) =>
      void note(`login ${name ?? ''}`, {
        actor: { name: name ?? 'unknown', via: 'admin' },
        action: 'person.refuse',
        details: { by, address },
      }).catch((error: unknown) => sayLost(1, error)),
    refusedName: ({ account, address, by }) =>
      void note(`name ${by} ${account?.subject ?? ''}`, {
        actor: { name: 'unknown', via: 'admin', account },
        action: 'person.refuse',
        details: { by, address, reason: 'name_taken' },
      }).catch((error: unknown) => sayLost(1, error)),
    refusedKey: (address) =>
      void note('key', {
        actor: { name: 'unknown', via: 'feed' },
        action: 'person.refuse',
        details: { by: 'key', address },
      }).catch((error: unknown) => sayLost(1, error)),
    refusedAccess: ({ actor, details }) =>
      note(`access ${actor.name} ${details.route}`, { actor, action: 'access.refuse', details }),
  }
}
