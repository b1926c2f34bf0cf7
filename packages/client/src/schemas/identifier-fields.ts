/** Identifiers, other than its own id, by which a resource can be looked up. */
export const identifierFields = ['internal_id', 'mrn', 'member_number', 'prescription_message_id'] as const
export type IdentifierField = (typeof identifierFields)[number]

/** One identifier of a resource. */
export interface Identifier {
  field: IdentifierField
  value: string
}
