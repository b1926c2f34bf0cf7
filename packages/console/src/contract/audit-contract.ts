import { z } from 'zod'
import { auditActions, authMethods } from '@pawl/ledger/audit/audit-entry'
import { Report } from '../report/report.ts'
import { groupings } from 'pawl-client/schemas/outcome-facts'
import { Reason, reasonLength } from './reason.ts'
import { Moment, number, route } from './route.ts'

const maxEntries = 1_000

/** One entry of the audit trail. */
export const AuditEntry = z.object({
  id: z.number(),
  at: Moment,
  actor: z.object({
    name: z.string(),
    via: z.enum(['process', 'admin', 'command', 'feed']),
    auth: z.enum(authMethods).optional().describe('How the name was authenticated.'),
    account: z
      .object({ issuer: z.string(), subject: z.string() })
      .optional()
      .describe('The account at the identity provider.'),
  }),
  action: z.enum(auditActions),
  resourceId: z.string().optional(),
  handler: z.string().optional(),
  reason: z.string().optional(),
  details: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()]))
    .readonly(),
  hash: z.string(),
  isSigned: z.boolean(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export const auditContract = {
  audit: route({
    method: 'get',
    path: '/api/audit',
    needs: 'privacy',
    summary: 'List entries of the audit trail, the oldest first',
    query: z.strictObject({
      after: z.coerce.number<number>().int().min(0).default(0).describe('Entries after this id.'),
      limit: number(1, maxEntries).default(100),
      since: z.iso.datetime({ offset: true }).optional(),
      resource: z.string().min(1).max(200).optional(),
      action: z.enum(auditActions).optional(),
      for: z.enum(['view', 'export']).default('view').describe('A view, or a copy that leaves pawl.'),
    }),
    invalid: `after is the id of an entry; limit a number from 1 to ${maxEntries}; since an ISO 8601 date-time; action one of ${auditActions.join(', ')}.`,
    answer: z.object({ entries: z.array(AuditEntry), after: z.number().optional() }),
  }),
  auditVerdict: route({
    method: 'get',
    path: '/api/audit/verdict',
    needs: 'privacy',
    summary: 'Tell whether an entry of the audit trail was removed or changed',
    query: z
      .strictObject({
        id: z.coerce.number<number>().int().min(1).optional().describe('From a head noted earlier.'),
        hash: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .optional(),
      })
      .refine(({ id, hash }) => (id === undefined) === (hash === undefined)),
    invalid: 'A noted head is its id and its hash of 64 hexadecimal digits.',
    answer: z.object({
      rows: z.number(),
      signed: z.number(),
      unknownKeys: z.number().describe('Rows signed with a key that is not listed.'),
      signedSince: z.object({ id: z.number(), at: Moment }).optional(),
      head: z.object({ id: z.number(), hash: z.string() }),
      faults: z.array(z.object({ id: z.number(), says: z.string() })),
    }),
  }),
  auditAcknowledge: route({
    method: 'post',
    path: '/api/audit/acknowledge',
    needs: 'privacy',
    summary: 'Acknowledge the last break of the audit trail, and all before it',
    body: z.strictObject({
      row: z.int().describe('The row that records the break, an `audit.break`.'),
      reason: Reason,
    }),
    invalid: `Send a JSON object with row, the number of the last audit.break, and reason, a text of ${reasonLength}.`,
    invalidCode: 'no_reason',
    answer: z.object({ row: z.number() }),
    errors: ['nothing'],
  }),
  report: route({
    method: 'get',
    path: '/api/report',
    needs: 'view',
    summary: 'Count the results of prior authorizations and benefit verifications',
    query: z.strictObject({
      from: z.string().max(40).optional().describe('A date or a date-time. Default: 30 days before `to`.'),
      to: z.string().max(40).optional().describe('A date or a date-time, exclusive. Default: now.'),
      by: z.enum(groupings).optional(),
      small: z.enum(['true', 'false']).optional().describe('Show groups of fewer than 11 resources.'),
      format: z.enum(['json', 'csv']).default('json'),
      printed: z.literal('csv').optional().describe('The caller converts the JSON to CSV; the audit trail records it.'),
    }),
    invalid: `by is one of ${groupings.join(', ')}; small is true or false; format is json or csv.`,
    answer: Report,
    alsoType: 'text/csv',
  }),
}
