import type { Row } from '../platform/machine.ts'
import type { PriorAuthorizationScript } from './script.ts'

/** Flags of a PA's script that the interface requires for some moves, worded to follow "only if". */
export const priorAuthorizationRules = {
  isProcessed: 'it is not training data',
  isNonDelegated: 'the organization is non-delegated',
} as const satisfies Partial<Record<keyof PriorAuthorizationScript, string>>

const isRuleName = (name: string | undefined): name is keyof typeof priorAuthorizationRules =>
  name !== undefined && name in priorAuthorizationRules

/** The rule of the interface against this move or push of a PA; undefined if it is allowed. */
export function ruleAgainst(
  script: PriorAuthorizationScript,
  { when, isRule }: Pick<Row<string, string>, 'when' | 'isRule'>,
): string | undefined {
  if (isRule !== true || !isRuleName(when) || script[when]) return undefined
  return `Only if ${priorAuthorizationRules[when]}.`
}
