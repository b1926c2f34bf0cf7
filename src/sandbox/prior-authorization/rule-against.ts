import type { Row } from '../platform/machine.ts'
import type { PriorAuthorizationScript } from './script.ts'

/** What the interface asks of a PA before some of its moves: the flags of its script, in words that follow "only where". */
export const priorAuthorizationRules = {
  isProcessed: 'it is no training data',
  isNonDelegated: 'the organization is not delegated',
} as const satisfies Partial<Record<keyof PriorAuthorizationScript, string>>

const isRuleName = (name: string | undefined): name is keyof typeof priorAuthorizationRules =>
  name !== undefined && name in priorAuthorizationRules

/** Why the interface forbids this PA a move, also by a push; undefined where it does not. */
export function ruleAgainst(
  script: PriorAuthorizationScript,
  { when, isRule }: Pick<Row<string, string>, 'when' | 'isRule'>,
): string | undefined {
  if (isRule !== true || !isRuleName(when) || script[when]) return undefined
  return `Only where ${priorAuthorizationRules[when]}.`
}
