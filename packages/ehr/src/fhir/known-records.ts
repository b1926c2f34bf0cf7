import type { RunContext } from '@pawl/connector/system'
import { type StoredType, storedTypes } from './chart-types.ts'
import { identifierOf, type IdentifierKind, type NamedIdentifier } from './mapping/references.ts'
import { type Memo, type Remembered, toMemo } from './memo.ts'

/** A record that pawl remembers. */
export interface Known {
  role: string
  type: StoredType
  name: NamedIdentifier
  memo: Memo
}

/** Whether two identifiers are the same. */
export const isSameName = (one: NamedIdentifier, other: NamedIdentifier) =>
  one.system === other.system && one.value === other.value

/** The record that a role names; none for roles of patients, encounters and practitioners. */
export function knownOf(base: string, role: string, remembered: Remembered): Known[] {
  const type = storedTypes.find((each) => role.startsWith(`${each} `))
  const memo = toMemo(remembered)
  if (type === undefined || memo === undefined) return []
  const [kind = '', ...value] = role.slice(type.length + 1).split('/')
  return [{ role, type, memo, name: { system: `${base}/${kind}`, value: value.join('/') } }]
}

/** The names that records of a resource have without a key, by which a lost memory is noticed. */
const bareKinds: Partial<Record<RunContext['kind'], Partial<Record<StoredType, readonly IdentifierKind[]>>>> = {
  prior_authorization: {
    DocumentReference: ['prior-authorization'],
    Task: ['prior-authorization', 'prescription-transfer', 'prior-authorization-staff-task'],
    ClaimResponse: ['prior-authorization'],
  },
  benefit_verification: {
    DocumentReference: ['benefit-verification'],
    Task: ['benefit-verification-staff-task'],
    CoverageEligibilityResponse: ['benefit-verification'],
  },
}

/** Those names for one type. */
export function bareNames(
  base: string,
  { kind, resourceId }: Pick<RunContext, 'kind' | 'resourceId'>,
  type: StoredType,
): NamedIdentifier[] {
  return (bareKinds[kind]?.[type] ?? []).map((each) => identifierOf(base, each, resourceId))
}
